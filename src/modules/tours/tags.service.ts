import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Any, type FindOptionsSelect, type FindOptionsWhere } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import { Directory } from '../../platform/database/directory.js';
import type { AcceptedVersions } from '../../platform/http/conditional-requests.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import type { Principal } from '../../platform/security/principal.js';
import { ArchivableRecordService } from '../../records/archivable-record.service.js';
import type { BulkCreatedDto, BulkCreateQueryDto } from '../../records/bulk-create.dto.js';
import { createInBulk } from '../../records/bulk-create.js';
import { RecordCounters } from '../../records/record-counters.js';
import type { RowKeys } from '../../records/row-references.js';
import { RowReferencesService } from '../workspace-tables/query/row-references.service.js';
import type { RenamedRow } from '../workspace-tables/rows/row-referrer.js';
import { mapByWorkspace, type RecordInput, type UpsertResult } from '../../records/record-values.js';
import { RecordEventsService } from '../events/record-events.service.js';
import { TAG_EVENTS } from './dto/tag-events.dto.js';
import { ChangeTagDto, CreateTagDto, ListTagsDto, MAX_TAG_ID, TagDto } from './dto/tag.dto.js';
import { Tag } from './tag.entity.js';
import { TagsRepository } from './tags.repository.js';
import { ToursService } from './tours.service.js';

type TagTitle = Pick<Tag, 'id' | 'label' | 'tourId' | 'anchorPosition'>;

@Injectable()
export class TagsService extends ArchivableRecordService<Tag, TagDto> implements OnModuleInit {
  constructor(
    database: Database,
    directory: Directory,
    private readonly tags: TagsRepository,
    private readonly counters: RecordCounters,
    private readonly events: RecordEventsService,
    private readonly tours: ToursService,
    private readonly rowReferences: RowReferencesService,
  ) {
    super(database, directory, {
      entity: Tag,
      kind: 'tag',
      label: 'The tag',
      searched: ['label', 'description'],
      immutable: ['tourId', 'projectId'],
      requireOpenParent: ({ workspaceId, tourId }, field) =>
        tours.getOpen({ workspaceIds: [workspaceId] }, tourId, field),
      createIds: (count) => tags.createIds(count),
    });
  }

  onModuleInit(): void {
    for (const parent of ['workspace', 'project', 'tour'] as const) this.counters.registerEntity(parent, 'tags', Tag);
    this.events.register(this, 'tag', TAG_EVENTS, { withPolicies: true });
  }

  /**
   * Creates a tag, or updates the one with this external ID.
   *
   * @throws {NotFoundError | ArchivedError} if the tour is absent or archived.
   * @throws {ParentImmutableError | UnknownRowError | AmbiguousRowError}
   */
  async create(caller: Principal, body: CreateTagDto, accepted: AcceptedVersions): Promise<UpsertResult<TagDto>> {
    return this.upsert(() => this.toInput(caller, body), caller, accepted);
  }

  /** @throws {DomainError} `invalid_items` */
  createAll(caller: Principal, items: readonly object[], query: BulkCreateQueryDto): Promise<BulkCreatedDto> {
    return createInBulk(this.database, {
      type: CreateTagDto,
      items,
      query,
      toInput: (item) => this.toInput(caller, item),
      store: (inputs) => this.records.createAll(inputs, caller),
    });
  }

  async list(caller: Principal, { projectId, tourId, location, asset, ...query }: ListTagsDto): Promise<Page<TagDto>> {
    const filter: FindOptionsWhere<Tag> = {};
    if (projectId) filter.projectId = projectId;
    if (tourId) filter.tourId = tourId;
    if (location) filter.locationKey = location;
    if (asset) filter.assetKey = asset;
    return this.getPage(caller, query, filter);
  }

  find(workspaceId: string, id: number): Promise<Tag | undefined> {
    return this.records.find({ workspaceIds: [workspaceId] }, id);
  }

  /** The titles of the tags whose IDs are among the values of `locationTag` columns. Archived ones are included. */
  findTitles(workspaceId: string, values: readonly string[]): Promise<TagTitle[]> {
    return this.findByTexts(workspaceId, values, { id: true, label: true, tourId: true, anchorPosition: true });
  }

  /** The IDs of the tags of locations: those that refer to one, and those that its `locationTag` columns name. */
  async listIdsAt(workspaceId: string, locations: readonly RowKeys[]): Promise<number[]> {
    const referring = await this.tags.listIdsAt(workspaceId, locations);
    const values = await this.rowReferences.listLocationTags(workspaceId, locations);
    const named = values.length === 0 ? [] : await this.findByTexts(workspaceId, values, { id: true });
    return [...new Set([...referring, ...named.map(({ id }) => id)])];
  }

  /** @throws {NotFoundError | PreconditionFailedError | ArchivedError | UnknownRowError | AmbiguousRowError} */
  async change(caller: Principal, id: number, changes: ChangeTagDto, accepted: AcceptedVersions): Promise<TagDto> {
    return this.database.transaction(async () => {
      const { workspaceId } = await this.records.get(caller, id);
      // Locks the rows before the tag. A rename uses the same order, so that the two cannot deadlock.
      const values = await this.resolveReferences(workspaceId, changes);
      return this.toDto(await this.records.change({ workspaceIds: [workspaceId] }, id, caller, accepted, values));
    });
  }

  /** Updates the references to a row whose key changes. */
  async renameRow({ workspaceId, tableId, from, to }: RenamedRow): Promise<void> {
    await this.records.changeAll(workspaceId, { locationTableId: tableId, locationKey: from }, { locationKey: to });
    await this.records.changeAll(workspaceId, { assetTableId: tableId, assetKey: from }, { assetKey: to });
  }

  /** @param select the properties to read: thousands of whole tags can be too large. */
  private findByTexts(
    workspaceId: string,
    values: readonly string[],
    select: FindOptionsSelect<TagTitle>,
  ): Promise<TagTitle[]> {
    const ids = values.filter((value) => /^[1-9]\d{0,9}$/.test(value)).map(Number);
    const possible = ids.filter((id) => id <= MAX_TAG_ID);
    return this.database.repository(Tag).find({ select, where: { workspaceId, id: Any(possible) } });
  }

  private async toInput(caller: Principal, { tourId: requestedId, ...body }: CreateTagDto): Promise<RecordInput<Tag>> {
    const tour = await this.tours.getOpen(caller, requestedId, 'tourId');
    const { workspaceId, id: tourId, projectId } = tour;
    return { workspaceId, values: { ...(await this.resolveReferences(workspaceId, body)), tourId, projectId } };
  }

  private async resolveReferences(
    workspaceId: string,
    { location, locationKey, asset, assetKey, ...values }: ChangeTagDto,
  ): Promise<Partial<Tag>> {
    return {
      ...values,
      ...(await this.rowReferences.resolve(workspaceId, { location, locationKey, asset, assetKey })),
    };
  }

  protected toDtos(tags: readonly Tag[]): Promise<TagDto[]> {
    return mapByWorkspace(tags, (workspaceId, own) => this.rowReferences.expand(workspaceId, own));
  }
}
