import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Database } from '../../platform/database/database.js';
import { Directory } from '../../platform/database/directory.js';
import { pageRecords } from '../../platform/database/page-records.js';
import { NotFoundError } from '../../platform/http/domain-error.js';
import type { Page } from '../../platform/http/page.dto.js';
import { type AcceptedVersions, requireVersion } from '../../platform/http/preconditions.js';
import { type Principal } from '../../platform/security/principal.js';
import { chosenWorkspace, reachableWorkspaces } from '../../platform/security/workspace-access.js';
import { ChangeProjectDto, CreateProjectDto, ListProjectsDto } from './dto/project.dto.js';
import { Project } from './project.entity.js';

@Injectable()
export class ProjectsService {
  constructor(
    private readonly database: Database,
    private readonly directory: Directory,
  ) {}

  /** @throws {NotFoundError} where the workspace is not the caller's. */
  async create(caller: Principal, body: CreateProjectDto): Promise<Project> {
    const workspaceId = chosenWorkspace(caller, body.workspaceId);
    return this.database.transaction(async () => {
      const { manager } = this.database;
      const project = manager.create(Project, {
        workspaceId,
        id: uuid(),
        name: body.name,
        description: body.description ?? null,
        status: 'active',
        publicNotes: body.publicNotes ?? true,
        createdBy: caller.userId,
        updatedBy: caller.userId,
      });
      await this.directory.add('project', workspaceId, [project.id]);
      return manager.save(project);
    });
  }

  list(caller: Principal, query: ListProjectsDto): Promise<Page<Project>> {
    const workspaceIds = reachableWorkspaces(caller, query.workspaceId);
    return pageRecords(this.database, Project, workspaceIds, query.status ? { status: query.status } : {}, query);
  }

  /** @throws {NotFoundError} where there is none among the caller's workspaces. */
  async get(caller: Principal, id: string): Promise<Project> {
    const project = await this.find(caller.workspaceIds, id);
    if (!project) throw new NotFoundError('The project');
    return project;
  }

  async find(workspaceIds: readonly string[], id: string): Promise<Project | undefined> {
    for (const workspaceId of workspaceIds) {
      const project = await this.database.manager.findOneBy(Project, { workspaceId, id });
      if (project) return project;
    }
    return undefined;
  }

  /**
   * Changes what is named, where the project has one of the accepted versions.
   *
   * @throws {NotFoundError} where there is none among the caller's workspaces. @throws {PreconditionFailedError}
   */
  async change(caller: Principal, id: string, changes: ChangeProjectDto, accepted: AcceptedVersions): Promise<Project> {
    const { workspaceId } = await this.get(caller, id);
    return this.database.transaction(async () => {
      const { manager } = this.database;
      const where = { workspaceId, id };
      const project = await manager.findOneOrFail(Project, { where, lock: { mode: 'pessimistic_write' } });
      requireVersion(project, accepted);
      return manager.save(manager.merge(Project, project, { ...changes, updatedBy: caller.userId }));
    });
  }
}
