import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Config } from '../../platform/config/config.js';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { ConditionalRead, isNotModified, versionEtag } from '../../platform/http/conditional-requests.js';
import { ApiErrors, ApiErrorsAlsoAs } from '../../platform/http/error.dto.js';
import { FinishedReply } from '../../platform/http/finished-reply.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';
import { SECURITY_ERRORS } from '../../platform/security/security.errors.js';
import { QUERY_ERRORS } from '../../../packages/tables/src/catalog/query.errors.js';
import { TABLE_ERRORS } from '../../../packages/tables/src/catalog/tables.errors.js';
import { ChangesService } from './changes.service.js';
import { EntityPageDto, ODataErrorDto, ServiceDocumentDto, SingleEntityDto } from './dto/odata.dto.js';
import { describeEntitySet, type EntitySet } from './edm.js';
import { requireNavigation } from './expansion.js';
import { EntitySetsService } from './entity-sets.service.js';
import {
  canTrack,
  describeLinks,
  findTrackedRevision,
  formatDeltaToken,
  getFeedUrl,
  moveOptionsToUrl,
  parseSegment,
  parseSkipToken,
  withOptions,
} from './links.js';
import { createMetadataDocument } from './metadata-document.js';
import { ApiODataOptions, ODataEndpoint, ReadsOData, ReadsOptionsOfBody } from './odata-endpoint.decorator.js';
import { InvalidODataQueryError, ODATA_ERRORS } from './odata.errors.js';
import { type Expansion, parseQueryOptions, type QueryOptions, readsOtherTables } from './query-options.js';
import { type MetadataLevel, negotiateLevel, parsePreferences, requireXml } from './representation.js';
import { RowsService } from './rows.service.js';
import { parseStoredJson } from '../../../packages/sql/src/stored-json.js';

const ApiSet = (description: string, example = 'assets_Example_Assets') =>
  ApiParam({ name: 'set', type: String, description, example });

const COUNT = { 'text/plain': { schema: { type: 'string' as const }, example: '48184' } };

/** Tables and notes as an OData 4.0 service, read-only, for Excel, Power BI and other programs that know OData. */
@ApiGroup({
  name: 'OData feed',
  description:
    'The tables and notes of a workspace as an OData 4.0 service for Excel, Power BI and reporting tools. It is read-only.',
  guide: 'connecting-excel-and-power-bi',
})
@ObeysPolicies()
@ODataEndpoint()
@ApiErrorsAlsoAs(ODataErrorDto)
@ApiErrors(ODATA_ERRORS.invalid_odata_query, ODATA_ERRORS.odata_not_implemented, HTTP_ERRORS.not_acceptable)
@ApiErrors(QUERY_ERRORS.invalid_query, TABLE_ERRORS.table_busy, TABLE_ERRORS.table_changed)
@Controller('odata/v4/:workspaceId')
export class ODataController {
  constructor(
    private readonly sets: EntitySetsService,
    private readonly rows: RowsService,
    private readonly changes: ChangesService,
    private readonly config: Config,
  ) {}

  @Get()
  @ReadsOData()
  @ApiOperation({
    summary: 'Read the service document of the feed',
    description: 'Lists the entity sets: one per table, and `notes`.',
  })
  @ApiResponse({ status: 200, description: 'The entity sets.', type: ServiceDocumentDto })
  async service(
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    await parseQueryOptions(request.query, 'documents');
    const level = negotiateLevel(request);
    const sets = await this.sets.list(workspaceId);
    const value = sets.map(({ name, table }) => ({ name, title: table.name, kind: 'EntitySet', url: name }));
    const context = level === 'none' ? {} : { '@odata.context': `${this.getRoot(workspaceId)}/$metadata` };
    return sendJson(response, level, JSON.stringify({ ...context, value }));
  }

  @Get('$metadata')
  @ReadsOData()
  @ApiOperation({
    summary: 'Read the metadata of the feed',
    description: 'Describes the entity sets and their properties as CSDL XML.',
  })
  @ApiResponse({
    status: 200,
    description: 'The metadata.',
    content: { 'application/xml': { schema: { type: 'string' } } },
  })
  async metadata(
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    await parseQueryOptions(request.query, 'documents');
    requireXml(request);
    const document = createMetadataDocument(await this.sets.list(workspaceId));
    response.setHeader('Content-Type', 'application/xml; charset=utf-8');
    return new FinishedReply(document);
  }

  @Get(':set')
  @ReadsOData()
  @ApiODataOptions()
  @ConditionalRead()
  @ApiOperation({
    summary: 'Read entities of the feed',
    description:
      "Returns a page of entities, or one entity for `set('key')`. `@odata.nextLink` leads to the next page. With " +
      '`Prefer: odata.track-changes` the last page has an `@odata.deltaLink`, which returns what has changed since.',
  })
  @ApiSet("The entity set, or the set with the key of an entity: `assets_Example_Assets('EX-2001')`.")
  @ApiResponse({ status: 200, description: 'A page, or an entity.', type: EntityPageDto })
  @ApiErrors(HTTP_ERRORS.invalid_cursor, QUERY_ERRORS.unknown_revision)
  @ApiErrors(QUERY_ERRORS.revision_gone, ODATA_ERRORS.odata_definition_changed)
  @ApiErrors(ODATA_ERRORS.odata_policy_changed, SECURITY_ERRORS.policy_denied)
  async read(
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('set') segment: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const level = negotiateLevel(request);
    const { name, key } = parseSegment(segment);
    if (key !== undefined) {
      const options = await parseQueryOptions(request.query, 'row');
      const { set, entities } = await this.rows.readOne(workspaceId, name, key, options);
      return this.sendEntity(response, level, this.getContext(workspaceId, set, options), entities);
    }
    const options = await parseQueryOptions(request.query, 'rows');
    if (options.deltaToken !== undefined) return this.sendChanges(request, response, level, workspaceId, name, options);
    return this.sendPage(request, response, level, workspaceId, name, options);
  }

  @Post(':set/$query')
  @ReadsOptionsOfBody()
  @ApiOperation({
    summary: 'Query entities of the feed',
    description: 'As a read, with the query options in the body, for filters that are too long for a URL.',
  })
  @ApiSet('The entity set.')
  @ApiResponse({ status: 200, description: 'A page, or an entity.', type: EntityPageDto })
  query(
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('set') segment: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    moveOptionsToUrl(request);
    return this.read(workspaceId, segment, request, response);
  }

  @Post(':set/$count/$query')
  @ReadsOptionsOfBody()
  @ApiOperation({ summary: 'Count queried entities of the feed', description: 'With `$filter` in the body.' })
  @ApiSet('The entity set.')
  @ApiResponse({ status: 200, description: 'The number.', content: COUNT })
  countQueried(
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('set') segment: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    moveOptionsToUrl(request);
    return this.count(workspaceId, segment, request, response);
  }

  @Get(':set/$count')
  @ReadsOData()
  @ApiODataOptions('$filter')
  @ApiOperation({ summary: 'Count entities of the feed', description: 'The number of entities as text.' })
  @ApiSet('The entity set.')
  @ApiResponse({ status: 200, description: 'The number.', content: COUNT })
  async count(
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('set') segment: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { name, key } = parseSegment(segment);
    if (key !== undefined) throw new InvalidODataQueryError('path', '$count follows an entity set, not an entity.');
    const count = await this.rows.count(workspaceId, name, await parseQueryOptions(request.query, 'count'));
    response.setHeader('Content-Type', 'text/plain; charset=utf-8');
    return new FinishedReply(String(count));
  }

  @Get(':set/:navigation')
  @ReadsOData()
  @ApiODataOptions('$select')
  @ApiOperation({
    summary: 'Follow a reference of the feed',
    description: 'Returns the row that a reference of an entity names.',
  })
  @ApiSet(
    "The entity set with the key of an entity: `assets_Example_Assets('EX-2001')`.",
    "assets_Example_Assets('EX-2001')",
  )
  @ApiParam({ name: 'navigation', type: String, description: 'The navigation property.', example: 'locationRow' })
  @ApiResponse({ status: 200, description: 'The row.', type: SingleEntityDto })
  @ApiResponse({ status: 204, description: 'The reference is empty, or the row does not exist.' })
  async follow(
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('set') segment: string,
    @Param('navigation') navigation: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const level = negotiateLevel(request);
    const { select } = await parseQueryOptions(request.query, 'reference');
    const { name, key } = parseSegment(segment);
    if (key === undefined)
      throw new InvalidODataQueryError('path', `"${navigation.slice(0, 80)}" needs an entity: ${name}('key').`);
    requireNavigation((await this.sets.get(workspaceId, name, true)).set, navigation);
    const expand = [{ name: navigation, select }];
    const { set, entities } = await this.rows.readOne(workspaceId, name, key, { expand, count: false });
    const { [navigation]: row } = parseStoredJson(entities) as Record<string, object | null>;
    const target = set.navigation.find((each) => each.name === navigation)!.target;
    const context = this.getContext(workspaceId, describeEntitySet(target, []), { select });
    if (row) return this.sendEntity(response, level, context, JSON.stringify(row));
    response.status(204);
    return new FinishedReply(undefined);
  }

  private async sendPage(
    request: Request,
    response: Response,
    level: MetadataLevel,
    workspaceId: string,
    name: string,
    { skipToken, ...options }: QueryOptions,
  ): Promise<FinishedReply> {
    const { pageRows, trackChanges, applied } = parsePreferences(request);
    const start = skipToken === undefined ? undefined : parseSkipToken(skipToken);
    if (start && options.skip !== undefined)
      throw new InvalidODataQueryError('$skip', 'send the link as the feed has returned it.');
    const toEtag = (revision: number, { table }: EntitySet) =>
      versionEtag(revision, [table.policyVersion ?? '', level, pageRows, trackChanges].join(' '));
    const isKnown = (revision: number, set: EntitySet) => isNotModified(request, toEtag(revision, set));
    const hasTag = request.method !== 'POST' && !readsOtherTables(options);
    const findMoment = (set: EntitySet) => findTrackedRevision(set, options, start, trackChanges);
    const query = { ...options, cursor: start?.cursor, pageRows, findMoment };
    const mayBeKnown = hasTag && request.headers['if-none-match'] !== undefined;
    const page = await this.rows.readPage(workspaceId, name, query, mayBeKnown ? isKnown : undefined);
    if (!page) {
      response.status(304);
      return new FinishedReply(undefined);
    }
    const { revision } = page;
    if (hasTag && revision !== undefined) response.set('ETag', toEtag(revision, page.set));
    const isTracked = revision !== undefined && trackChanges && canTrack(page, options);
    const token = isTracked ? formatDeltaToken(revision, page.set.table.policyVersion) : undefined;
    const since = start ? start.since : token;
    const preferences = [applied, since === undefined ? undefined : 'odata.track-changes'].filter(
      (each) => each !== undefined,
    );
    if (preferences.length > 0) response.set('Preference-Applied', preferences.join(', '));
    const parts = [
      ...(level === 'none'
        ? []
        : [`"@odata.context":${JSON.stringify(this.getContext(workspaceId, page.set, options))}`]),
      ...(page.count === undefined ? [] : [`"@odata.count":${page.count}`]),
      `"value":${page.entities}`,
      ...describeLinks(this.config.http.publicUrl, request, page, { ...options, since }),
    ];
    return sendJson(response, level, `{${parts.join(',')}}`);
  }

  private async sendChanges(
    request: Request,
    response: Response,
    level: MetadataLevel,
    workspaceId: string,
    name: string,
    options: QueryOptions,
  ): Promise<FinishedReply> {
    const { pageRows, applied } = parsePreferences(request);
    if (applied !== undefined) response.set('Preference-Applied', applied);
    const { set, changes, cursor, deltaToken } = await this.changes.list(workspaceId, name, options, {
      root: this.getRoot(workspaceId),
      limit: pageRows,
    });
    const url = this.config.http.publicUrl + request.url;
    const link =
      cursor === null
        ? { '@odata.deltaLink': withOptions(url, { $skiptoken: undefined, $deltatoken: deltaToken }) }
        : { '@odata.nextLink': withOptions(url, { $skiptoken: cursor }) };
    const context =
      level === 'none' ? {} : { '@odata.context': `${this.getContext(workspaceId, set, options)}/$delta` };
    return sendJson(response, level, JSON.stringify({ ...context, value: changes, ...link }));
  }

  /** @param context of the entities of its set @param entity as JSON */
  private sendEntity(response: Response, level: MetadataLevel, context: string, entity: string): FinishedReply {
    const member = `"@odata.context":${JSON.stringify(`${context}/$entity`)}`;
    return sendJson(response, level, level === 'none' ? entity : `{${member},${entity.slice(1)}`);
  }

  /**
   * The context URL of entities (OData 4.01, part 1, sections 10.7 to 10.10): with the properties that `$select` names,
   * and with all expanded ones. Only expanded ones mean all properties.
   */
  private getContext(
    workspaceId: string,
    { name, navigation }: EntitySet,
    { select = [], expand = [] }: Pick<QueryOptions, 'select' | 'expand'>,
  ): string {
    const expansions: readonly Partial<Expansion>[] = expand === '*' ? navigation : expand;
    const expanded = expansions.map((each) => `${each.name}(${(each.select ?? []).join(',')})`);
    const properties = [...new Set(select), ...expanded];
    const list = properties.length > 0 ? `(${properties.join(',')})` : '';
    return `${this.getRoot(workspaceId)}/$metadata#${encodeURI(name)}${list}`;
  }

  private getRoot(workspaceId: string): string {
    return getFeedUrl(this.config.http.publicUrl, workspaceId);
  }
}

function sendJson(response: Response, level: MetadataLevel, body: string): FinishedReply {
  response.setHeader('Content-Type', `application/json;odata.metadata=${level};charset=utf-8`);
  return new FinishedReply(body);
}
