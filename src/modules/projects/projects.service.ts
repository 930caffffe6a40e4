import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Directory } from '../../platform/database/directory.js';
import type { Page } from '../../platform/http/page.dto.js';
import type { AcceptedVersions } from '../../platform/http/conditional-requests.js';
import { createRecordCounter, type RecordCounter, RecordCounters } from '../../records/record-counters.js';
import type { UpsertResult } from '../../records/record-values.js';
import { buildStatusFilter } from '../../records/record-status.js';
import { Records } from '../../records/records.js';
import type { Principal } from '../../platform/security/principal.js';
import { resolveTargetWorkspace, resolveWorkspaces } from '../../platform/security/workspace-access.js';
import { CallerWorkspacesService } from '../workspaces/caller-workspaces.service.js';
import { ChangeProjectDto, CreateProjectDto, ListProjectsDto, ProjectDto } from './dto/project.dto.js';
import { Project } from './project.entity.js';

@Injectable()
export class ProjectsService implements OnModuleInit {
  private readonly records: Records<Project>;
  private readonly counters = new RecordCounters();

  constructor(
    private readonly database: Database,
    directory: Directory,
    private readonly workspaces: CallerWorkspacesService,
  ) {
    this.records = new Records(database, directory, {
      entity: Project,
      kind: 'project',
      label: 'The project',
      searched: ['name', 'description'],
    });
  }

  onModuleInit(): void {
    this.workspaces.registerCounter('projects', createRecordCounter(this.database, Project, 'workspaceId'));
  }

  /** The counter's figures are told with every project from now on. */
  registerCounter(name: keyof ProjectDto['counts'], counter: RecordCounter): void {
    this.counters.register(name, counter);
  }

  /** Creates a project, or changes the one with this external id. @throws {NotFoundError} where the workspace is not the caller's. */
  async create(
    caller: Principal,
    { workspaceId, ...values }: CreateProjectDto,
    accepted?: AcceptedVersions,
  ): Promise<UpsertResult<ProjectDto>> {
    const draft = { workspaceId: resolveTargetWorkspace(caller, workspaceId), values };
    const saved = await this.records.create(() => Promise.resolve(draft), caller, accepted);
    return { ...saved, record: await this.shown(saved.record) };
  }

  async list(caller: Principal, { status, ...query }: ListProjectsDto): Promise<Page<ProjectDto>> {
    const workspaceIds = resolveWorkspaces(caller, query.workspaceId);
    const { archived, filter } = buildStatusFilter<Project>(status, query.archived, () => ({}));
    const page = await this.records.getPage(workspaceIds, { ...query, archived }, filter);
    return { ...page, items: await this.allShown(page.items) };
  }

  /** @throws {NotFoundError} where there is none among the caller's workspaces. */
  async get(caller: Principal, id: string): Promise<ProjectDto> {
    return this.shown(await this.records.get(caller.workspaceIds, id));
  }

  find(workspaceIds: readonly string[], id: string): Promise<Project | undefined> {
    return this.records.find(workspaceIds, id);
  }

  /** The project, to have tours and notes in it. @throws {NotFoundError | ArchivedError} */
  getOpen(workspaceIds: readonly string[], id: string, field?: string): Promise<Project> {
    return this.records.getOpen(workspaceIds, id, field);
  }

  /** @throws {NotFoundError | PreconditionFailedError | ArchivedError} */
  async change(
    caller: Principal,
    id: string,
    changes: ChangeProjectDto,
    accepted: AcceptedVersions,
  ): Promise<ProjectDto> {
    return this.shown(await this.records.change(caller.workspaceIds, id, caller, accepted, changes));
  }

  /** @throws {NotFoundError | PreconditionFailedError} */
  async archive(caller: Principal, id: string, archived: boolean, accepted: AcceptedVersions): Promise<ProjectDto> {
    return this.shown(await this.records.archive(caller.workspaceIds, id, caller, accepted, archived));
  }

  private async shown(project: Project): Promise<ProjectDto> {
    return (await this.allShown([project]))[0]!;
  }

  private async allShown(projects: readonly Project[]): Promise<ProjectDto[]> {
    const counted = await this.counters.addCounts<Project, ProjectDto['counts']>(projects);
    return counted.map((project) => ({ ...project, status: project.archivedAt ? 'archived' : 'active' }));
  }
}
