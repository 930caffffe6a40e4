import { Body, Controller, Delete, Get, Headers, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiGroup } from '../../../platform/http/api-group.decorator.js';
import { type AcceptedVersions, IfMatch, recordEtag } from '../../../platform/http/conditional-requests.js';
import { Reply } from '../../../platform/http/envelope.js';
import { EXAMPLE_DELETED_ASSETS, EXAMPLE_LOCATION, EXAMPLE_RENAMES } from '../catalog/dto/table.examples.js';
import { ApiRowKey, ApiTableRef, RowKey, TableRef } from '../catalog/table-ref.decorator.js';
import { RenameDto } from './dto/rename.dto.js';
import { type ItemDto, ReadRowQueryDto, type WrittenItemDto } from './dto/row.dto.js';
import { RenameService } from './rename.service.js';
import { RowBodyPipe } from './row-body.pipe.js';
import { DeleteRow, GetRow, GetRowPath, PatchRow, PutRow, RenameRow } from './row-routes.decorator.js';
import { WriteRowService } from './write-row.service.js';
import { ReadRowService } from './read-row.service.js';
import { ApiErrors } from '../../../platform/http/error.dto.js';
import { withMessage } from '../../../../packages/errors/src/error-definition.js';
import { TakesQuery } from '../../../platform/http/unknown-query.guard.js';
import { HTTP_ERRORS } from '../../../../packages/errors/src/http.errors.js';
import { TABLE_ERRORS } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { QUERY_ERRORS } from '../../../../packages/tables/src/catalog/query.errors.js';
import { ObeysPolicies } from '../../../platform/security/obeys-policies.decorator.js';

type Row = Record<string, unknown>;

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
  @GetRow()
  @ApiRowKey()
  async get(@TableRef() ref: TableRef, @RowKey() key: string, @Query() { asOf }: ReadRowQueryDto) {
    return replyWithRow(await this.rows.get(ref, key, asOf));
  }

  @Get(['items/:key/path', 'item/path'])
  @GetRowPath()
  @ApiTableRef('locations')
  @ApiRowKey(EXAMPLE_LOCATION)
  path(@TableRef() ref: TableRef, @RowKey() key: string, @Query() { asOf }: ReadRowQueryDto) {
    return this.rows.getPath(ref, key, asOf);
  }

  @Put(['items/:key', 'item'])
  @TakesQuery('key')
  @PutRow()
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
  @PatchRow()
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
  @DeleteRow()
  @ApiRowKey(EXAMPLE_DELETED_ASSETS.byPath)
  delete(@TableRef() ref: TableRef, @RowKey() key: string, @IfMatch() accepted: AcceptedVersions) {
    return this.writer.delete(ref, key, accepted);
  }

  @Post(['items/:key/rename', 'item/rename'])
  @TakesQuery('key')
  @RenameRow()
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
