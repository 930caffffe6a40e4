import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Directory } from '../../platform/database/directory.js';
import { pageRecords } from '../../platform/database/page-records.js';
import { NotFoundError } from '../../platform/http/domain-error.js';
import type { Page } from '../../platform/http/page.dto.js';
import type { Principal } from '../../platform/security/principal.js';
import { reachableWorkspaces } from '../../platform/security/workspace-access.js';
import { CreateTagDto, ListTagsDto } from './dto/tag.dto.js';
import { Tag } from './tag.entity.js';
import { ToursService } from './tours.service.js';

@Injectable()
export class TagsService {
  constructor(
    private readonly database: Database,
    private readonly directory: Directory,
    private readonly tours: ToursService,
  ) {}

  /** @throws {NotFoundError} where the tour is not in one of the caller's workspaces. */
  async create(caller: Principal, body: CreateTagDto): Promise<Tag> {
    const { workspaceId, id: tourId, projectId } = await this.tours.get(caller, body.tourId);
    return this.database.transaction(async () => {
      const { manager } = this.database;
      const id = await this.nextId();
      const tag = manager.create(Tag, {
        workspaceId,
        id,
        tourId,
        projectId,
        label: body.label,
        description: body.description ?? null,
        anchorPosition: body.anchorPosition ?? null,
        createdBy: caller.userId,
        updatedBy: caller.userId,
      });
      await this.directory.add('tag', workspaceId, [id]);
      return manager.save(tag);
    });
  }

  list(caller: Principal, query: ListTagsDto): Promise<Page<Tag>> {
    const { projectId, tourId } = query;
    const filter = { ...(projectId ? { projectId } : {}), ...(tourId ? { tourId } : {}) };
    return pageRecords(this.database, Tag, reachableWorkspaces(caller, query.workspaceId), filter, query);
  }

  /** @throws {NotFoundError} where there is none among the caller's workspaces. */
  async get(caller: Principal, id: number): Promise<Tag> {
    const tag = await this.find(caller.workspaceIds, id);
    if (!tag) throw new NotFoundError('The tag');
    return tag;
  }

  async find(workspaceIds: readonly string[], id: number): Promise<Tag | undefined> {
    for (const workspaceId of workspaceIds) {
      const tag = await this.database.manager.findOneBy(Tag, { workspaceId, id });
      if (tag) return tag;
    }
    return undefined;
  }

  private async nextId(): Promise<number> {
    const [next] = await this.database.query<{ id: number }>(`SELECT nextval('tag_ids')::integer AS id`);
    return next!.id;
  }
}
