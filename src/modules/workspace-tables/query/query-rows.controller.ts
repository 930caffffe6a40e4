import { applyDecorators, Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiGroup } from '../../../platform/http/api-group.decorator.js';
import { ExactNumbers } from '../../../platform/body/body.decorators.js';
import { ConditionalRead, isNotModified, versionEtag } from '../../../platform/http/conditional-requests.js';
import { Enveloped, Reply } from '../../../platform/http/envelope.js';
import { ApiErrors } from '../../../platform/http/error.dto.js';
import { NoIdempotencyKey } from '../../../platform/http/idempotency/no-idempotency-key.decorator.js';
import {
  acceptedType,
  describeStreams,
  EXPORT_FORMATS,
  EXPORT_TYPES,
  streamReply,
} from '../../../platform/http/stream-reply.js';
import { ObeysPolicies } from '../../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import { exampleFiles } from '../catalog/dto/table.examples.js';
import type { EntityPath } from '../../../../packages/tables/src/catalog/entity-kind.js';
import { findFormerRows } from '../../../../packages/tables/src/catalog/physical-table.js';
import { ApiTableOf, ApiTableRef, TableRef } from '../catalog/table-ref.decorator.js';
import { findPolicyVersion } from '../../../../packages/tables/src/catalog/view.js';
import { ExportQueryDto, ItemsBodyDto, ItemsPageDto, ItemsQueryDto } from './dto/query-rows.dto.js';
import { ExportRowsService } from './export-rows.service.js';
import { dependsOnOtherTables } from '../../../../packages/tables/src/reader/query-compiler.js';
import { QueryRowsService, type RowsVersion } from './query-rows.service.js';
import { withMessage } from '../../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../../packages/errors/src/http.errors.js';
import { TABLE_ERRORS } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { QUERY_ERRORS } from '../../../../packages/tables/src/catalog/query.errors.js';

const EXPORT =
  'Streams all rows of the query from one snapshot, as CSV or NDJSON by `Accept`. The `ETag` is its revision, at ' +
  'which the change feed continues. In CSV, a text that starts like a formula is preceded by an apostrophe.';
const OR_EXPORT = '`Accept: application/x-ndjson` or `text/csv` streams all rows.';

const ETAG = {
  ETag: 'The revision of the table. Pages that depend on other tables (`expand`, paths) have none.',
};
const LINK = { Link: '`<URL>; rel="next"`, if there is a next page and its URL is not long.' };

/** Documents a query for rows (specification, section 4.5). */
const ReadRows = (summary: string, headers: Record<string, string>, description = OR_EXPORT) =>
  applyDecorators(
    RequireScope('read:workspaces', 'reader'),
    ApiOperation({ summary, description }),
    // The streams are documented at the export: generators would not return a page as JSON if a stream were an
    // alternative.
    Enveloped(ItemsPageDto, { description: 'A page of rows.', headers }),
    ApiErrors(HTTP_ERRORS.not_acceptable),
  );

const GetRows = (entity: EntityPath, summary: string) =>
  applyDecorators(
    Get(`${entity}/:table/items`),
    ReadRows(summary, { ...ETAG, ...LINK }),
    ApiTableOf(entity),
    ConditionalRead(),
  );

const EXAMPLE_QUERY = { filter: { name: { contains: 'pump' }, weight: { gte: 100 } }, sort: '-weight', limit: 50 };

/** Rows of a table, as pages or as an export. */
@ApiGroup({
  name: 'Tables: read',
  description:
    'Read rows page by page with filters, or export all of them as CSV or NDJSON. The change feed returns what changed ' +
    'since a revision.',
  guide: 'tables',
})
@ApiErrors(withMessage(HTTP_ERRORS.not_found, 'The table was not found. Check the name or ID.'))
@ApiErrors(TABLE_ERRORS.table_busy, TABLE_ERRORS.table_changed)
@ApiErrors(QUERY_ERRORS.invalid_query, QUERY_ERRORS.unknown_revision, QUERY_ERRORS.history_expired)
@ObeysPolicies()
@Controller('v2/api/workspaces/:workspaceId/cw')
export class QueryRowsController {
  constructor(
    private readonly rows: QueryRowsService,
    private readonly exports: ExportRowsService,
  ) {}

  @GetRows('locations', 'Read locations')
  locations(
    @Res({ passthrough: true }) response: Response,
    @TableRef('location') ref: TableRef,
    @Query() query: ItemsQueryDto,
  ) {
    return this.reply(response, ref, query);
  }

  @GetRows('assets', 'Read assets')
  assets(
    @Res({ passthrough: true }) response: Response,
    @TableRef('asset') ref: TableRef,
    @Query() query: ItemsQueryDto,
  ) {
    return this.reply(response, ref, query);
  }

  @GetRows('lists', 'Read a list')
  lists(
    @Res({ passthrough: true }) response: Response,
    @TableRef('list') ref: TableRef,
    @Query() query: ItemsQueryDto,
  ) {
    return this.reply(response, ref, query);
  }

  @Post(':entity/:table/items/query')
  @ReadRows(
    'Query rows',
    ETAG,
    `For queries that are too long for a URL. For the next page, send the body with \`nextCursor\` as its \`cursor\`. ${OR_EXPORT}`,
  )
  @ApiTableRef()
  @NoIdempotencyKey()
  @ExactNumbers()
  @ApiBody({ type: ItemsBodyDto, examples: { first: { value: EXAMPLE_QUERY } } })
  @ApiErrors(HTTP_ERRORS.invalid_cursor)
  query(@Res({ passthrough: true }) response: Response, @TableRef() ref: TableRef, @Body() query: ItemsBodyDto) {
    return this.reply(response, ref, query);
  }

  @Get(':entity/:table/export')
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({ summary: 'Export the rows of a table', description: EXPORT })
  @ApiTableRef()
  @ApiResponse({ status: 200, description: 'All rows.', content: describeStreams(exampleFiles('assets')) })
  @ApiErrors(HTTP_ERRORS.not_acceptable, QUERY_ERRORS.too_many_exports)
  export(@Res({ passthrough: true }) response: Response, @TableRef() ref: TableRef, @Query() query: ExportQueryDto) {
    return this.stream(response, ref, query, acceptedType(response.req, ['text/csv', 'application/x-ndjson']));
  }

  /** A page, or all rows as a stream if the header `Accept` contains an export format. */
  private async reply(response: Response, ref: TableRef, query: ItemsQueryDto): Promise<Reply<unknown>> {
    const request: Request = response.req;
    const type = acceptedType(request, ['application/json', ...EXPORT_TYPES]);
    if (type === 'application/json') return this.replyWithPage(request, ref, query);
    return this.stream(response, ref, query, type);
  }

  private async stream(
    response: Response,
    ref: TableRef,
    query: ItemsQueryDto,
    type: keyof typeof EXPORT_FORMATS,
  ): Promise<Reply<unknown>> {
    const { version, stream } = await this.exports.start(ref, query, EXPORT_FORMATS[type]);
    return streamReply(
      response,
      stream,
      `${type}; charset=utf-8`,
      { ETag: this.toEtag(ref, version) },
      () => this.exports.occupancy,
    );
  }

  private async replyWithPage(request: Request, ref: TableRef, query: ItemsQueryDto): Promise<Reply<unknown>> {
    const hasEtag = !dependsOnOtherTables(query);
    const etag = (version: RowsVersion) => (hasEtag ? this.toEtag(ref, version) : undefined);
    const isKnown = (current: RowsVersion) => isNotModified(request, etag(current));
    const mayBeKnown = request.headers['if-none-match'] !== undefined;
    const { version, page } = await this.rows.list(ref, query, mayBeKnown ? isKnown : undefined);
    const headers: Record<string, string> = hasEtag ? { ETag: this.toEtag(ref, version) } : {};
    return page ? new Reply(page, { headers }) : new Reply(null, { status: 304, headers, raw: true });
  }

  /** Callers with other access policies see other rows of the same revision. */
  private toEtag({ view }: TableRef, { revision, definitionId, rows }: RowsVersion): string {
    const policies = findPolicyVersion(view);
    return versionEtag(revision, !findFormerRows({ rows }) ? policies : `${policies ?? ''} ${definitionId}`);
  }
}
