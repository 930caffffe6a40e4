import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  Patch,
  type PipeTransform,
  Post,
  Put,
  Query,
} from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation } from '@nestjs/swagger';
import { ExactNumbers } from '../../../platform/body/body.decorators.js';
import { ApiGroup } from '../../../platform/http/api-group.decorator.js';
import {
  type AcceptedVersions,
  ConditionalRead,
  IfMatch,
  recordEtag,
} from '../../../platform/http/conditional-requests.js';
import { Enveloped, Reply } from '../../../platform/http/envelope.js';
import { EXAMPLE_DELETED_ASSETS, EXAMPLE_LOCATION, EXAMPLE_RENAMES } from '../catalog/dto/table.examples.js';
import { ApiRowKey, ApiTableRef, RowKey, TableRef } from '../catalog/table-ref.decorator.js';
import { RenameDto, RenamedDto } from './dto/rename.dto.js';
import { DeletedItemDto, ItemDto, ItemPathDto, ReadRowQueryDto, WrittenItemDto } from './dto/row.dto.js';
import { RenameService } from './rename.service.js';
import { WriteRowService } from './write-row.service.js';
import { ReadRowService } from './read-row.service.js';
import { ApiErrors, ApiErrorsWith } from '../../../platform/http/error.dto.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import { ROW_ERROR } from '../catalog/dto/table-error.dto.js';
import { TABLE_POLICY_ERRORS } from '../../../../packages/tables/src/catalog/policy.errors.js';
import { InvalidRequestError } from '../../../../packages/errors/src/domain-error.js';
import { withMessage } from '../../../../packages/errors/src/error-definition.js';
import { TakesQuery } from '../../../platform/http/unknown-query.guard.js';
import { HTTP_ERRORS } from '../../../../packages/errors/src/http.errors.js';
import { TABLE_ERRORS } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { QUERY_ERRORS } from '../../../../packages/tables/src/catalog/query.errors.js';
import { ObeysPolicies } from '../../../platform/security/obeys-policies.decorator.js';

type Row = Record<string, unknown>;

/** The values of a row. The body reader has rejected everything but objects; only a missing body remains. */
class RowBodyPipe implements PipeTransform<unknown, Row> {
  transform(body: unknown): Row {
    if (typeof body === 'object' && body !== null) return body as Row;
    throw new InvalidRequestError([], 'The body is missing. Send the values of the row as a JSON object.');
  }
}

const RowBody = () =>
  applyDecorators(
    ApiBody({
      description: 'Values by column key or name.',
      schema: { type: 'object', additionalProperties: true },
      examples: { first: { value: { name: 'Standby pump', weight: 176 } } },
    }),
    ExactNumbers(),
    ApiErrorsWith(ROW_ERROR, TABLE_ERRORS.invalid_rows, TABLE_ERRORS.invalid_key, TABLE_POLICY_ERRORS.read_only),
  );

/**
 * Single rows: by `items/{key}`, and by `item?key=` for keys that clients alter in paths, such as SAP keys with `/`.
 */
@ApiGroup({
  name: 'Tables: single rows',
  description:
    'Read, replace, change, delete or rename one row by its primary key. Each operation exists with `item?key=` instead ' +
    'of `items/{key}`, too, for keys that contain a slash, or are `.` or `..`.',
  guide: 'tables',
})
@ApiErrors(withMessage(HTTP_ERRORS.not_found, 'The row was not found. Check the key.'))
@ApiErrors(TABLE_ERRORS.table_busy, TABLE_ERRORS.table_changed)
@ApiErrors(QUERY_ERRORS.invalid_query, QUERY_ERRORS.unknown_revision, QUERY_ERRORS.history_expired)
@ApiTableRef()
@ObeysPolicies()
@Controller('v2/api/workspaces/:workspaceId/cw/:entity/:table')
export class RowController {
  constructor(
    private readonly rows: ReadRowService,
    private readonly writer: WriteRowService,
    private readonly renames: RenameService,
  ) {}

  @Get(['items/:key', 'item'])
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({ summary: 'Read a row' })
  @Enveloped(ItemDto)
  @ConditionalRead()
  @ApiRowKey()
  async get(@TableRef() ref: TableRef, @RowKey() key: string, @Query() { asOf }: ReadRowQueryDto) {
    return replyWithRow(await this.rows.get(ref, key, asOf));
  }

  @Get(['items/:key/path', 'item/path'])
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({
    summary: 'Get the path of a row',
    description: 'The rows above it, from the top of the hierarchy.',
  })
  @Enveloped(ItemPathDto)
  @ApiTableRef('locations')
  @ApiRowKey(EXAMPLE_LOCATION)
  path(@TableRef() ref: TableRef, @RowKey() key: string, @Query() { asOf }: ReadRowQueryDto) {
    return this.rows.getPath(ref, key, asOf);
  }

  @Put(['items/:key', 'item'])
  @TakesQuery('key')
  @RequireScope('write:workspaces', 'editor')
  @ApiOperation({ summary: 'Create or replace a row', description: 'Omitted values become empty.' })
  @Enveloped(WrittenItemDto, { also: { 201: 'The row was created.' } })
  @ApiHeader({
    name: 'If-None-Match',
    required: false,
    description: '`*`: only if the row does not exist yet, else 412.',
    schema: { type: 'string', enum: ['*'] },
  })
  @RowBody()
  @ApiRowKey()
  async put(
    @TableRef() ref: TableRef,
    @RowKey() key: string,
    @Body(RowBodyPipe) row: Row,
    @IfMatch() accepted: AcceptedVersions,
    @Headers('If-None-Match') ifNoneMatch?: string,
  ) {
    return replyWithWritten(await this.writer.put(ref, key, row, { accepted, mustBeNew: ifNoneMatch === '*' }));
  }

  @Patch(['items/:key', 'item'])
  @TakesQuery('key')
  @RequireScope('write:workspaces', 'editor')
  @ApiOperation({ summary: 'Change values of a row' })
  @Enveloped(WrittenItemDto)
  @RowBody()
  @ApiRowKey()
  async patch(
    @TableRef() ref: TableRef,
    @RowKey() key: string,
    @Body(RowBodyPipe) row: Row,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyWithRow(await this.writer.patch(ref, key, row, accepted));
  }

  @Delete(['items/:key', 'item'])
  @TakesQuery('key')
  @RequireScope('write:workspaces', 'editor')
  @ApiOperation({ summary: 'Delete a row' })
  @Enveloped(DeletedItemDto)
  @ApiRowKey(EXAMPLE_DELETED_ASSETS.byPath)
  delete(@TableRef() ref: TableRef, @RowKey() key: string, @IfMatch() accepted: AcceptedVersions) {
    return this.writer.delete(ref, key, accepted);
  }

  @Post(['items/:key/rename', 'item/rename'])
  @TakesQuery('key')
  @RequireScope('write:workspaces', 'editor')
  @ApiOperation({
    summary: 'Rename a row',
    description:
      'Changes the key, and all parents, references and notes that name it, all or nothing. ' +
      'References that another table can serve, too, remain and are counted as `ambiguous`.',
  })
  @ApiBody({ type: RenameDto, examples: { first: { value: { key: EXAMPLE_RENAMES.assets.to } } } })
  @Enveloped(RenamedDto, { description: 'The row and what refers to it have the key.' })
  @ApiErrorsWith(ROW_ERROR, TABLE_ERRORS.key_taken, TABLE_ERRORS.invalid_rows, TABLE_ERRORS.invalid_key)
  @ApiErrorsWith(ROW_ERROR, TABLE_POLICY_ERRORS.read_only)
  @ApiRowKey(EXAMPLE_RENAMES.assets.from)
  rename(
    @TableRef() ref: TableRef,
    @RowKey() key: string,
    @IfMatch() accepted: AcceptedVersions,
    @Body() body: RenameDto,
  ) {
    return this.renames.rename(ref, { from: key, to: body.key, accepted });
  }
}

/**
 * The ETag consists of the revision that last changed the row, which `If-Match` compares, and a digest of the item:
 * adding or dropping a column changes the item, but not that revision.
 */
function replyWithRow<T extends ItemDto>(row: T): Reply<T> {
  const content = { version: row.revision, item: row.item };
  return new Reply(row, { headers: { ETag: recordEtag(content) } });
}

function replyWithWritten({ row, created }: { row: WrittenItemDto; created: boolean }): Reply<WrittenItemDto> {
  const { data, options } = replyWithRow(row);
  return new Reply(data, { ...options, status: created ? 201 : 200 });
}
