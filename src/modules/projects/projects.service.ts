import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Directory } from '../../platform/database/directory.js';
import type { Page } from '../../platform/http/page.dto.js';
import type { AcceptedVersions } from '../../platform/http/conditional-requests.js';
import { createRecordCounter, type RecordCounter, RecordCounters } from '../../records/record-counters.js';
import { buildStatusFilter } from '../../records/record-status.js';
import type { UpsertResult } from '../../records/record-values.js';
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

  /** Adds a count to the responses of projects. */
  registerCounter(name: keyof ProjectDto['counts'], counter: RecordCounter): void {
    this.counters.register(name, counter);
  }

  /** Creates a project, or updates the one with this external ID. @throws {NotFoundError} for another workspace. */
  async create(
    caller: Principal,
    { workspaceId, ...values }: CreateProjectDto,
    accepted?: AcceptedVersions,
  ): Promise<UpsertResult<ProjectDto>> {
    const input = { workspaceId: resolveTargetWorkspace(caller, workspaceId), values };
    const result = await this.records.create(() => Promise.resolve(input), caller, accepted);
    return { ...result, record: await this.toDto(result.record) };
  }

  async list(caller: Principal, { status, ...query }: ListProjectsDto): Promise<Page<ProjectDto>> {
    const workspaceIds = resolveWorkspaces(caller, query.workspaceId);
    const { archived, filter } = buildStatusFilter<Project>(status, query.archived, () => ({}));
    const page = await this.records.getPage(workspaceIds, { ...query, archived }, filter);
    return { ...page, items: await this.toDtos(page.items) };
  }

  /** @throws {NotFoundError} */
  async get(caller: Principal, id: string): Promise<ProjectDto> {
    return this.toDto(await this.records.get(caller.workspaceIds, id));
  }

  find(workspaceIds: readonly string[], id: string): Promise<Project | undefined> {
    return this.records.find(workspaceIds, id);
  }

  /** The project as the parent of a tour or note. @throws {NotFoundError | ArchivedError} */
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
    return this.toDto(await this.records.change(caller.workspaceIds, id, caller, accepted, changes));
  }

  /** @throws {NotFoundError | PreconditionFailedError} */
  async archive(caller: Principal, id: string, archived: boolean, accepted: AcceptedVersions): Promise<ProjectDto> {
    return this.toDto(await this.records.archive(caller.workspaceIds, id, caller, accepted, archived));
  }

  private async toDto(project: Project): Promise<ProjectDto> {
    return (await this.toDtos([project]))[0]!;
  }

  private async toDtos(projects: readonly Project[]): Promise<ProjectDto[]> {
    const counted = await this.counters.addCounts<Project, ProjectDto['counts']>(projects);
    return counted.map((project) => ({ ...project, status: project.archivedAt ? 'archived' : 'active' }));
  }
}
