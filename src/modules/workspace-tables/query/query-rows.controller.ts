import { applyDecorators, Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Enveloped, Reply } from '../../../platform/http/envelope.js';
import { ApiErrors } from '../../../platform/http/error.dto.js';
import { NoIdempotencyKey } from '../../../platform/http/idempotency/no-idempotency-key.decorator.js';
import { versionEtag, isNotModified, ConditionalRead } from '../../../platform/http/conditional-requests.js';
import { acceptedType, streamReply } from '../../../platform/http/stream-reply.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import { exampleFiles } from '../catalog/dto/table.examples.js';
import type { EntityPath } from '../catalog/entity-kind.js';
import { ApiTableOf, ApiTableRef, TableRef } from '../catalog/table-ref.decorator.js';
import { ItemsBodyDto, ItemsPageDto, ItemsQueryDto } from './dto/query-rows.dto.js';
import { QueryRowsService } from './query-rows.service.js';
import { EXPORT_FORMATS, ExportRowsService } from './export-rows.service.js';

const TYPES = Object.keys(EXPORT_FORMATS) as (keyof typeof EXPORT_FORMATS)[];

const LINKS = 'Pages by cursor; the address of the next page is in the `Link` header too.';
const READS =
  'With `Accept: application/x-ndjson` or `text/csv` all rows are streamed from one snapshot, whose revision is the `ETag`: ' +
  'changes are followed from there. In CSV a text that begins like a formula gets an apostrophe before it.';

const ETAG = {
  ETag: "The table's revision; not on pages with `expand`, since what links lead to has revisions of its own.",
};
const LINK = { Link: 'On pages but for the last: `<address>; rel="next"`.' };

/** What reads of rows have in common (specification, section 4.5). @param pages how a page leads to the next, and its headers. */
function ReadsRows(
  surface: EntityPath,
  summary: string,
  pages: string,
  headers: Record<string, string>,
): MethodDecorator {
  return applyDecorators(
    RequireScope('read:workspaces'),
    ApiOperation({ summary, description: `${pages} ${READS}` }),
    ApiHeader({ name: 'Accept', required: false, schema: { type: 'string', enum: ['application/json', ...TYPES] } }),
    Enveloped(ItemsPageDto, {
      description: 'A page of rows; or all of them, as a stream.',
      headers,
      orElse: exampleFiles(surface),
    }),
    ApiErrors(400, 404, 406, 503),
  );
}

const ReadsSurface = (surface: EntityPath, summary: string) =>
  applyDecorators(
    Get(`${surface}/:table/items`),
    ReadsRows(surface, summary, LINKS, { ...ETAG, ...LINK }),
    ApiTableOf(surface),
    ConditionalRead(),
  );

const EXAMPLE_QUERY = { filter: { name: { contains: 'pump' }, weight: { gte: 100 } }, sort: '-weight', limit: 50 };

@ApiTags('Workspace tables')
@Controller('v2/api/workspaces/:workspaceId/cw')
export class QueryRowsController {
  constructor(
    private readonly items: QueryRowsService,
    private readonly exports: ExportRowsService,
  ) {}

  @ReadsSurface('locations', 'Read rows of a Locations table')
  locations(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Param('workspaceId') workspaceId: string,
    @Param('table') table: string,
    @Query() query: ItemsQueryDto,
  ) {
    return this.read(request, response, { workspaceId: workspaceId.toLowerCase(), entity: 'location', table }, query);
  }

  @ReadsSurface('assets', 'Read rows of an Assets table')
  assets(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Param('workspaceId') workspaceId: string,
    @Param('table') table: string,
    @Query() query: ItemsQueryDto,
  ) {
    return this.read(request, response, { workspaceId: workspaceId.toLowerCase(), entity: 'asset', table }, query);
  }

  @ReadsSurface('lists', 'Read rows of a Lists table')
  lists(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Param('workspaceId') workspaceId: string,
    @Param('table') table: string,
    @Query() query: ItemsQueryDto,
  ) {
    return this.read(request, response, { workspaceId: workspaceId.toLowerCase(), entity: 'list', table }, query);
  }

  @Post(':entity/:table/items/query')
  @ReadsRows(
    'assets',
    'Read rows, with the query as a body: for what an address is too short for',
    'Pages by cursor: the same body with `nextCursor` as its `cursor` asks for the next.',
    ETAG,
  )
  @ApiTableRef()
  @NoIdempotencyKey()
  @ApiBody({ type: ItemsBodyDto, examples: { first: { value: EXAMPLE_QUERY } } })
  @ApiErrors(413, 415)
  query(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @TableRef() path: TableRef,
    @Body() query: ItemsBodyDto,
  ) {
    return this.read(request, response, path, query);
  }

  private async read(
    request: Request,
    response: Response,
    path: TableRef,
    query: ItemsQueryDto,
  ): Promise<Reply<unknown>> {
    const type = acceptedType(request, ['application/json', ...TYPES]);
    if (type !== 'application/json') {
      const { revision, stream } = await this.exports.start(path, query, EXPORT_FORMATS[type]);
      return streamReply(response, stream, `${type}; charset=utf-8`, { ETag: versionEtag(revision) });
    }
    return this.items.reading(() => this.page(request, path, query));
  }

  private async page(request: Request, path: TableRef, query: ItemsQueryDto): Promise<Reply<unknown>> {
    const table = await this.items.getTable(path);
    // What links lead to has revisions of its own.
    const headers: Record<string, string> = query.expand ? {} : { ETag: versionEtag(table.revision) };
    if (isNotModified(request, headers['ETag'])) return new Reply(null, { status: 304, headers, bare: true });
    const page = await this.items.page(table, query);
    return new Reply(page, { headers });
  }
}
