import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam } from '@nestjs/swagger';
import { ApiGroup } from '../../../platform/http/api-group.decorator.js';
import {
  type AcceptedVersions,
  ConditionalRead,
  IfMatch,
  recordEtag,
} from '../../../platform/http/conditional-requests.js';
import { Enveloped, Reply } from '../../../platform/http/envelope.js';
import { ApiErrors, ApiErrorsWith } from '../../../platform/http/error.dto.js';
import { ObeysPolicies, RejectsPolicies } from '../../../platform/security/obeys-policies.decorator.js';
import { CallerRole } from '../../../platform/security/principal.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import { TableErrorDto } from '../catalog/dto/table-error.dto.js';
import { EXAMPLE_COLUMN, EXAMPLE_DROPPED_TABLE } from '../catalog/dto/table.examples.js';
import { ApiEntityRef, ApiTableRef, EntityRef, TableRef } from '../catalog/table-ref.decorator.js';
import { CompositeIndexesService } from './composite-indexes.service.js';
import { DescribeTablesService } from './describe-tables.service.js';
import { DropTablesService } from './drop-tables.service.js';
import { ConfirmColumnDto, ConfirmRenameDto, ConfirmTableDto } from './dto/confirmation.dto.js';
import { EditTableDto, EXAMPLE_EDIT, TableDto, TablesPageDto, TablesQueryDto } from './dto/tables.dto.js';
import { EditTablesService } from './edit-tables.service.js';
import type { Role } from '../../../platform/security/roles.js';
import { withMessage } from '../../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../../packages/errors/src/http.errors.js';
import { TABLE_ERRORS } from '../../../../packages/tables/src/catalog/tables.errors.js';

const ABOUT_INDEXES =
  'Filters and sorting work on every column. Without an index they read the whole table. ' +
  'Set `options.indexed` for columns that are queried often; pages that filter and sort by different columns need an ' +
  'index over them.';

const ApiIndexColumns = () =>
  ApiParam({
    name: 'columns',
    description: 'The keys of 2 to 4 columns, separated by commas. The primary key follows in every index; omit it.',
    example: 'location,weight',
  });

/** Tables with their columns (specification, section 2.3). */
@ApiGroup({
  name: 'Tables: administration',
  description:
    'List tables and their columns, rename them, add indexes, and drop columns or tables. Dropping is permanent.',
  guide: 'tables',
})
@ApiErrors(withMessage(HTTP_ERRORS.not_found, 'The table was not found. Check the name or ID.'))
@ApiErrors(TABLE_ERRORS.table_busy, TABLE_ERRORS.table_changed)
@Controller('v2/api/workspaces/:workspaceId/cw/:entity')
export class TablesController {
  constructor(
    private readonly tables: DescribeTablesService,
    private readonly edits: EditTablesService,
    private readonly drops: DropTablesService,
    private readonly indexes: CompositeIndexesService,
  ) {}

  @Get()
  @ObeysPolicies()
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({ summary: 'List tables', description: 'Ordered by name.' })
  @ApiEntityRef()
  @Enveloped(TablesPageDto, { description: 'A page of tables.' })
  list(@EntityRef() ref: EntityRef, @Query() query: TablesQueryDto) {
    return this.tables.list(ref, query);
  }

  @Get(':table')
  @ObeysPolicies()
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({
    summary: 'Get a table',
    description:
      `${ABOUT_INDEXES} The \`ETag\` changes with the revision and with the states of indexes; \`If-Match\` compares ` +
      'only the revision.',
  })
  @ApiTableRef()
  @ConditionalRead()
  @Enveloped(TableDto, { description: 'The table with its columns.' })
  async get(@TableRef() ref: TableRef) {
    return replyWithTable(await this.tables.get(ref));
  }

  @Put(':table')
  @RejectsPolicies()
  @RequireScope('write:workspaces', 'editor')
  @ApiOperation({
    summary: 'Edit a table',
    description:
      'Renames the table, adds columns, and edits names, descriptions, options and the `required` flag of columns. Omitted ' +
      'attributes remain unchanged. All or nothing. It never drops a column or ' +
      'changes a type or the primary key. A rename needs `confirm`. ' +
      'Owners set `options.approval`, and lower `options.historyDays`.',
  })
  @ApiTableRef()
  @ApiBody({ type: EditTableDto, examples: { first: { value: EXAMPLE_EDIT } } })
  @Enveloped(TableDto, { description: 'The edited table.' })
  @ApiErrorsWith(TableErrorDto, TABLE_ERRORS.name_taken, TABLE_ERRORS.column_type_conflict)
  @ApiErrorsWith(TableErrorDto, TABLE_ERRORS.invalid_columns, TABLE_ERRORS.invalid_index)
  async edit(
    @TableRef() ref: TableRef,
    @CallerRole() role: Role,
    @IfMatch() accepted: AcceptedVersions,
    @Query() { confirm }: ConfirmRenameDto,
    @Body() body: EditTableDto,
  ) {
    return replyWithTable(await this.edits.edit(ref, body, { role, confirm, accepted }));
  }

  @Delete(':table')
  @RequireScope('write:workspaces', 'owner')
  @ApiOperation({
    summary: 'Drop a table',
    description:
      'Drops the table and its rows permanently. Notes and tags retain the key of a row, not its name. ' +
      'References are unresolved until another table has its name.',
  })
  @ApiTableRef('lists', EXAMPLE_DROPPED_TABLE.name)
  @Enveloped(null, { message: 'The table was dropped', description: 'The table was dropped.' })
  @ApiErrors(TABLE_ERRORS.table_in_use)
  drop(@TableRef() ref: TableRef, @IfMatch() accepted: AcceptedVersions, @Query() { confirm }: ConfirmTableDto) {
    return this.drops.dropTable(ref, confirm, accepted);
  }

  @Delete(':table/columns/:key')
  @RequireScope('write:workspaces', 'owner')
  @ApiOperation({
    summary: 'Drop a column',
    description: 'Drops the column and its values permanently. The primary key cannot be dropped.',
  })
  @ApiTableRef()
  @ApiParam({ name: 'key', description: 'The key of the column, in any letter case.', example: EXAMPLE_COLUMN })
  @Enveloped(TableDto, { message: 'The column was dropped', description: 'The table without the column.' })
  @ApiErrorsWith(TableErrorDto, TABLE_ERRORS.invalid_columns, TABLE_ERRORS.invalid_index)
  async dropColumn(
    @TableRef() ref: TableRef,
    @Param('key') key: string,
    @IfMatch() accepted: AcceptedVersions,
    @Query() { confirm }: ConfirmColumnDto,
  ) {
    return replyWithTable(await this.drops.dropColumn(ref, key, confirm, accepted));
  }

  @Put(':table/indexes/:columns')
  @RejectsPolicies()
  @RequireScope('write:workspaces', 'editor')
  @ApiOperation({
    summary: 'Create an index over several columns',
    description:
      'Serves pages with `eq` filters on its first columns that are sorted by its last one, in both directions. It is built ' +
      'in the background; `indexes` of the table contains its state. An existing index remains unchanged; a failed one is ' +
      'retried. A table has at most 5.',
  })
  @ApiTableRef()
  @ApiIndexColumns()
  @Enveloped(TableDto, { description: 'The index exists.', also: { 201: 'The index was created.' } })
  @ApiErrorsWith(TableErrorDto, TABLE_ERRORS.invalid_columns, TABLE_ERRORS.invalid_index)
  async createIndex(
    @TableRef() ref: TableRef,
    @Param('columns') columns: string,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    const { table, created } = await this.indexes.create(ref, columns, accepted);
    return replyWithTable(table, created ? { status: 201, message: 'The index was created' } : {});
  }

  @Delete(':table/indexes/:columns')
  @RejectsPolicies()
  @RequireScope('write:workspaces', 'editor')
  @ApiOperation({ summary: 'Drop an index over several columns' })
  @ApiTableRef()
  @ApiIndexColumns()
  @Enveloped(TableDto, { message: 'The index was dropped', description: 'The table without the index.' })
  async dropIndex(@TableRef() ref: TableRef, @Param('columns') columns: string, @IfMatch() accepted: AcceptedVersions) {
    return replyWithTable(await this.indexes.drop(ref, columns, accepted));
  }
}

/** The ETag contains the revision, and a digest, because the states of indexes change without it. */
function replyWithTable(table: TableDto, options: { status?: number; message?: string } = {}): Reply<TableDto> {
  return new Reply(table, { ...options, headers: { ETag: recordEtag({ version: table.revision, ...table }) } });
}
