import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Directory } from '../../platform/database/directory.js';
import type { Page } from '../../platform/http/page.dto.js';
import type { AcceptedVersions } from '../../platform/http/conditional-requests.js';
import { createInBulk } from '../../records/bulk-create.js';
import type { BulkQueryDto } from '../../records/bulk-create.dto.js';
import type { RecordInput, UpsertResult } from '../../records/record-values.js';
import { Records } from '../../records/records.js';
import type { Principal } from '../../platform/security/principal.js';
import { resolveWorkspaces } from '../../platform/security/workspace-access.js';
import { RowReferencesService } from '../workspace-tables/query/row-references.service.js';
import { ChangeTagDto, CreateTagDto, ListTagsDto, TagDto } from './dto/tag.dto.js';
import { Tag } from './tag.entity.js';
import { ToursService } from './tours.service.js';

@Injectable()
export class TagsService {
  private readonly records: Records<Tag>;

  constructor(
    private readonly database: Database,
    directory: Directory,
    private readonly tours: ToursService,
    private readonly places: RowReferencesService,
  ) {
    this.records = new Records(database, directory, {
      entity: Tag,
      kind: 'tag',
      label: 'The tag',
      searched: ['label', 'description'],
      immutable: ['tourId', 'projectId'],
      requireOpenParent: ({ workspaceId, tourId }, field) => this.tours.getOpen([workspaceId], tourId, field),
      createIds: (count) => this.newIds(count),
    });
  }

  /**
   * Creates a tag, or changes the one with this external id.
   *
   * @throws {NotFoundError | ArchivedError} where the tour is not there for it. @throws {PlacedElsewhereError}
   * @throws {UnknownRowError | AmbiguousRowError}
   */
  async create(caller: Principal, body: CreateTagDto, accepted: AcceptedVersions): Promise<UpsertResult<TagDto>> {
    const saved = await this.records.create(() => this.draftOf(caller, body), caller, accepted);
    return { ...saved, record: await this.shown(saved.record) };
  }

  /** @throws {InvalidItemsError} */
  createAll(caller: Principal, items: readonly object[], { onError }: BulkQueryDto) {
    return createInBulk(this.database, {
      type: CreateTagDto,
      items,
      onError,
      toInput: (item) => this.draftOf(caller, item),
      store: (drafts) => this.records.createAll(drafts, caller),
    });
  }

  async list(caller: Principal, { projectId, tourId, location, asset, ...query }: ListTagsDto): Promise<Page<TagDto>> {
    const filter = {
      ...(projectId ? { projectId } : {}),
      ...(tourId ? { tourId } : {}),
      ...(location ? { locationKey: location } : {}),
      ...(asset ? { assetKey: asset } : {}),
    };
    const page = await this.records.getPage(resolveWorkspaces(caller, query.workspaceId), query, filter);
    return { ...page, items: await this.allShown(page.items) };
  }

  /** @throws {NotFoundError} where there is none among the caller's workspaces. */
  async get(caller: Principal, id: number): Promise<TagDto> {
    return this.shown(await this.records.get(caller.workspaceIds, id));
  }

  /** The tag, to have notes against it. @throws {NotFoundError | ArchivedError} also where its tour or project is archived. */
  getOpen(workspaceIds: readonly string[], id: number, field?: string): Promise<Tag> {
    return this.records.getOpen(workspaceIds, id, field);
  }

  /** @throws {NotFoundError | PreconditionFailedError | ArchivedError | UnknownRowError | AmbiguousRowError} */
  async change(caller: Principal, id: number, changes: ChangeTagDto, accepted: AcceptedVersions): Promise<TagDto> {
    return this.database.transaction(async () => {
      const { workspaceId } = await this.records.get(caller.workspaceIds, id);
      // Before the tag itself, as a rename does.
      const values = await this.valuesOf(workspaceId, changes);
      return this.shown(await this.records.change([workspaceId], id, caller, accepted, values));
    });
  }

  /** @throws {NotFoundError | PreconditionFailedError | ArchivedError} */
  async archive(caller: Principal, id: number, archived: boolean, accepted: AcceptedVersions): Promise<TagDto> {
    return this.shown(await this.records.archive(caller.workspaceIds, id, caller, accepted, archived));
  }

  private async draftOf(caller: Principal, { tourId: asked, ...body }: CreateTagDto): Promise<RecordInput<Tag>> {
    const { workspaceId, id: tourId, projectId } = await this.tours.getOpen(caller.workspaceIds, asked, 'tourId');
    return { workspaceId, values: { ...(await this.valuesOf(workspaceId, body)), tourId, projectId } };
  }

  private async valuesOf(
    workspaceId: string,
    { location, locationKey, asset, assetKey, ...values }: ChangeTagDto,
  ): Promise<Partial<Tag>> {
    return { ...values, ...(await this.places.resolve(workspaceId, { location, locationKey, asset, assetKey })) };
  }

  private async shown(tag: Tag): Promise<TagDto> {
    return (await this.allShown([tag]))[0]!;
  }

  private async allShown(tags: readonly Tag[]): Promise<TagDto[]> {
    const byId = new Map<number, TagDto>();
    for (const workspaceId of new Set(tags.map((tag) => tag.workspaceId))) {
      const own = tags.filter((tag) => tag.workspaceId === workspaceId);
      for (const tag of await this.places.show(workspaceId, own)) byId.set(tag.id, tag);
    }
    return tags.map(({ id }) => byId.get(id)!);
  }

  private async newIds(count: number): Promise<number[]> {
    const sql = `SELECT nextval('tag_ids')::integer AS id FROM generate_series(1, $1)`;
    return (await this.database.query<{ id: number }>(sql, [count])).map(({ id }) => id);
  }
}
