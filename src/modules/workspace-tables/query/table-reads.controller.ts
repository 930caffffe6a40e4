import { applyDecorators, Controller, Get, Query, type Type } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { TOMBSTONE_DAYS } from '../../../platform/config/limits.js';
import { Enveloped } from '../../../platform/http/envelope.js';
import { PageQueryDto } from '../../../platform/http/page.dto.js';
import { ApiErrors } from '../../../platform/http/error.dto.js';
import { ObeysPolicies } from '../../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import { SECURITY_ERRORS } from '../../../platform/security/security.errors.js';
import { EXAMPLE_LOCATION } from '../catalog/dto/table.examples.js';
import { ApiRowKey, ApiTableRef, RowKey, TableRef } from '../catalog/table-ref.decorator.js';
import { ChangeFeedService } from './change-feed.service.js';
import { ChangesPageDto, ChangesQueryDto } from './dto/change-feed.dto.js';
import { ChildrenQueryDto, ItemsPageDto } from './dto/query-rows.dto.js';
import { UnresolvedPageDto, UnresolvedQueryDto } from './dto/unresolved-references.dto.js';
import { ViolationsPageDto } from './dto/violations.dto.js';
import { QueryRowsService } from './query-rows.service.js';
import { RowDefectsService } from './row-defects.service.js';
import { withMessage } from '../../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../../packages/errors/src/http.errors.js';
import { TABLE_ERRORS } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { QUERY_ERRORS } from '../../../../packages/tables/src/catalog/query.errors.js';

const Read = (summary: string, dto: Type, description?: string) =>
  applyDecorators(RequireScope('read:workspaces', 'reader'), ApiOperation({ summary, description }), Enveloped(dto));

/** Children of a row, unresolved references, violated constraints and changes. */
@ApiTags('Tables: read')
@ApiErrors(withMessage(HTTP_ERRORS.not_found, 'The table was not found. Check the name or ID.'))
@ApiErrors(TABLE_ERRORS.table_busy, TABLE_ERRORS.table_changed)
@ApiErrors(QUERY_ERRORS.invalid_query, QUERY_ERRORS.unknown_revision)
@ObeysPolicies()
@Controller('v2/api/workspaces/:workspaceId/cw/:entity/:table')
export class TableReadsController {
  constructor(
    private readonly items: QueryRowsService,
    private readonly defects: RowDefectsService,
    private readonly changeFeed: ChangeFeedService,
  ) {}

  @Get(['items/:key/children', 'item/children'])
  @Read(
    'List the children of a row',
    ItemsPageDto,
    'Accepts the parameters of the items operation. The parent row may be absent.',
  )
  @ApiTableRef('locations')
  @ApiRowKey(EXAMPLE_LOCATION)
  async children(@TableRef() ref: TableRef, @RowKey() parentKey: string, @Query() query: ChildrenQueryDto) {
    return (await this.items.list(ref, { ...query, parentKey })).page;
  }

  @Get('unresolved')
  @Read('List unresolved references', UnresolvedPageDto, 'References whose target row does not exist.')
  @ApiTableRef()
  unresolved(@TableRef() ref: TableRef, @Query() query: UnresolvedQueryDto) {
    return this.defects.listUnresolved(ref, query);
  }

  @Get('violations')
  @Read(
    'List violated constraints',
    ViolationsPageDto,
    'Warnings, and rows that were stored before a constraint was added with `existing: allow`. Ordered by key.',
  )
  @ApiTableRef()
  listViolations(@TableRef() ref: TableRef, @Query() query: PageQueryDto) {
    return this.defects.listViolations(ref, query);
  }

  @Get('changes')
  @Read(
    'Read the change feed of a table',
    ChangesPageDto,
    'Rows written or deleted after a revision, each once, in its current state, ordered by revision and key. Deleted rows ' +
      `are listed for ${TOMBSTONE_DAYS} days; an older \`since\` is 410: export the table. ` +
      'With a policy that limits rows, needs `historyDays`.',
  )
  @ApiTableRef()
  @ApiErrors(QUERY_ERRORS.revision_gone, QUERY_ERRORS.history_expired, SECURITY_ERRORS.policy_denied)
  changes(@TableRef() ref: TableRef, @Query() query: ChangesQueryDto) {
    return this.changeFeed.list(ref, query);
  }
}
