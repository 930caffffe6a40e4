import { applyDecorators, Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Config } from '../../../platform/config/config.js';
import { Enveloped, Reply } from '../../../platform/http/envelope.js';
import { ApiFailures } from '../../../platform/http/error.dto.js';
import { NoIdempotencyKey } from '../../../platform/http/idempotency/no-idempotency-key.decorator.js';
import { nextPageLink } from '../../../platform/http/page-link.js';
import { etagOf, notModified, Revalidated } from '../../../platform/http/preconditions.js';
import { streamReply } from '../../../platform/http/stream-reply.js';
import { RequireScope } from '../../../platform/security/require-scope.decorator.js';
import { exampleTable } from '../bulk/dto/bulk.examples.js';
import { EntityPipe } from '../entity.pipe.js';
import type { EntityKind, Surface } from '../entity-kind.js';
import { ApiEntity, ApiTable } from '../table-path.decorator.js';
import { ItemsPageDto, ItemsQueryDto } from './dto/items.dto.js';
import { ItemsService } from './items.service.js';
import { EXPORT_FORMATS, RowExportsService } from './row-exports.service.js';

const READS =
  'Pages by cursor; the address of the next page is in the `Link` header too. With `Accept: application/x-ndjson` or ' +
  '`text/csv` all rows are streamed from one snapshot, whose revision is the `ETag`: changes are followed from there. In ' +
  'CSV a text that begins like a formula gets an apostrophe before it.';

/** What reads of rows have in common (specification, section 4.5). */
function ReadsRows(summary: string): MethodDecorator {
  return applyDecorators(
    RequireScope('read:workspaces'),
    ApiOperation({ summary, description: READS }),
    ApiHeader({ name: 'Accept', required: false, schema: { type: 'string', enum: ['application/json', ...TYPES] } }),
    ApiProduces('application/json'),
    Enveloped(ItemsPageDto, { description: 'A page of rows; or all of them, as a stream.' }),
    ApiFailures(400, 404, 503),
  );
}

const TYPES = Object.keys(EXPORT_FORMATS) as (keyof typeof EXPORT_FORMATS)[];

const ReadsSurface = (surface: Surface, summary: string) =>
  applyDecorators(Get(`${surface}/:table/items`), ReadsRows(summary), ApiTable(exampleTable(surface)), Revalidated());

const EXAMPLE_QUERY = { filter: { name: { contains: 'pump' }, weight: { gte: 100 } }, sort: '-weight', limit: 50 };

@ApiTags('Workspace tables')
@Controller('v2/api/workspaces/:workspaceId/cw')
export class ItemsController {
  constructor(
    private readonly items: ItemsService,
    private readonly exports: RowExportsService,
    private readonly config: Config,
  ) {}

  @ReadsSurface('locations', 'Read rows of a Locations table')
  locations(@Req() request: Request, @Res({ passthrough: true }) response: Response, @Query() query: ItemsQueryDto) {
    return this.read(request, response, 'location', query);
  }

  @ReadsSurface('assets', 'Read rows of an Assets table')
  assets(@Req() request: Request, @Res({ passthrough: true }) response: Response, @Query() query: ItemsQueryDto) {
    return this.read(request, response, 'asset', query);
  }

  @ReadsSurface('lists', 'Read rows of a Lists table')
  lists(@Req() request: Request, @Res({ passthrough: true }) response: Response, @Query() query: ItemsQueryDto) {
    return this.read(request, response, 'list', query);
  }

  @Post(':entity/:table/items/query')
  @ReadsRows('Read rows, with the query as a body: for what an address is too short for')
  @ApiEntity('assets')
  @NoIdempotencyKey()
  @ApiBody({ type: ItemsQueryDto, examples: { first: { value: EXAMPLE_QUERY } } })
  @ApiFailures(413, 415)
  query(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Param('entity', EntityPipe) entity: EntityKind,
    @Body() query: ItemsQueryDto,
  ) {
    return this.read(request, response, entity, query);
  }

  private async read(
    request: Request,
    response: Response,
    entity: EntityKind,
    query: ItemsQueryDto,
  ): Promise<Reply<unknown>> {
    const { workspaceId, table } = request.params as { workspaceId: string; table: string };
    const type = request.accepts(['application/json', ...TYPES]);
    if (type === 'application/x-ndjson' || type === 'text/csv') {
      const exported = { workspaceId: workspaceId.toLowerCase(), entity, table };
      return this.export(response, exported, query, type);
    }
    const found = await this.items.getTable(workspaceId.toLowerCase(), entity, table);
    // What links lead to has revisions of its own.
    const headers: Record<string, string> = query.expand ? {} : { ETag: etagOf({ version: found.revision }) };
    if (notModified(request, headers)) return new Reply(null, { status: 304, headers, bare: true });
    const page = await this.items.page(found, query);
    const link = nextPageLink(this.config.http.publicUrl, request.originalUrl, page.nextCursor);
    return new Reply(page, { headers: { ...headers, ...(request.method === 'GET' ? link : {}) } });
  }

  private async export(
    response: Response,
    of: { workspaceId: string; entity: EntityKind; table: string },
    query: ItemsQueryDto,
    type: keyof typeof EXPORT_FORMATS,
  ): Promise<Reply<unknown>> {
    const { revision, stream } = await this.exports.start(of, query, EXPORT_FORMATS[type]);
    return streamReply(response, stream, `${type}; charset=utf-8`, { ETag: etagOf({ version: revision }) });
  }
}
