import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Database } from '../../platform/database/database.js';
import { Directory } from '../../platform/database/directory.js';
import { pageRecords } from '../../platform/database/page-records.js';
import { NotFoundError } from '../../platform/http/domain-error.js';
import type { Page } from '../../platform/http/page.dto.js';
import type { Principal } from '../../platform/security/principal.js';
import { reachableWorkspaces } from '../../platform/security/workspace-access.js';
import { ProjectsService } from '../projects/projects.service.js';
import { CreateTourDto, ListToursDto } from './dto/tour.dto.js';
import { Tour } from './tour.entity.js';

@Injectable()
export class ToursService {
  constructor(
    private readonly database: Database,
    private readonly directory: Directory,
    private readonly projects: ProjectsService,
  ) {}

  /** @throws {NotFoundError} where the project is not in one of the caller's workspaces. */
  async create(caller: Principal, body: CreateTourDto): Promise<Tour> {
    const { workspaceId, id: projectId } = await this.projects.get(caller, body.projectId);
    return this.database.transaction(async () => {
      const { manager } = this.database;
      const tour = manager.create(Tour, {
        workspaceId,
        id: uuid(),
        projectId,
        title: body.title,
        description: body.description ?? null,
        status: body.status ?? 'draft',
        visibility: body.visibility ?? 'private',
        createdBy: caller.userId,
        updatedBy: caller.userId,
      });
      await this.directory.add('tour', workspaceId, [tour.id]);
      return manager.save(tour);
    });
  }

  list(caller: Principal, query: ListToursDto): Promise<Page<Tour>> {
    const { projectId, status } = query;
    const filter = { ...(projectId ? { projectId } : {}), ...(status ? { status } : {}) };
    return pageRecords(this.database, Tour, reachableWorkspaces(caller, query.workspaceId), filter, query);
  }

  /** @throws {NotFoundError} where there is none among the caller's workspaces. */
  async get(caller: Principal, id: string): Promise<Tour> {
    const tour = await this.find(caller.workspaceIds, id);
    if (!tour) throw new NotFoundError('The tour');
    return tour;
  }

  async find(workspaceIds: readonly string[], id: string): Promise<Tour | undefined> {
    for (const workspaceId of workspaceIds) {
      const tour = await this.database.manager.findOneBy(Tour, { workspaceId, id });
      if (tour) return tour;
    }
    return undefined;
  }
}
