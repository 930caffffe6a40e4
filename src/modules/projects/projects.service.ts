import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Directory } from '../../platform/database/directory.js';
import type { AcceptedVersions } from '../../platform/http/conditional-requests.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import type { Principal } from '../../platform/security/principal.js';
import { resolveTargetWorkspace } from '../../platform/security/workspace-access.js';
import { ArchivableRecordService } from '../../records/archivable-record.service.js';
import { RecordCounters } from '../../records/record-counters.js';
import { buildStatusFilter } from '../../records/record-status.js';
import type { UpsertResult } from '../../records/record-values.js';
import { RecordEventsService } from '../events/record-events.service.js';
import { PROJECT_EVENTS } from './dto/project-events.dto.js';
import { ChangeProjectDto, CreateProjectDto, ListProjectsDto, ProjectDto } from './dto/project.dto.js';
import { Project } from './project.entity.js';

@Injectable()
export class ProjectsService extends ArchivableRecordService<Project, ProjectDto> implements OnModuleInit {
  constructor(
    database: Database,
    directory: Directory,
    private readonly counters: RecordCounters,
    private readonly events: RecordEventsService,
  ) {
    super(database, directory, {
      entity: Project,
      kind: 'project',
      label: 'The project',
      searched: ['name', 'description'],
    });
  }

  onModuleInit(): void {
    this.counters.registerEntity('workspace', 'projects', Project);
    this.events.register(this, 'project', PROJECT_EVENTS, { withPolicies: true });
  }

  /** Creates a project, or updates the one with this external ID. @throws {NotFoundError} for another workspace. */
  async create(
    caller: Principal,
    { workspaceId, ...values }: CreateProjectDto,
    accepted?: AcceptedVersions,
  ): Promise<UpsertResult<ProjectDto>> {
    const input = { workspaceId: resolveTargetWorkspace(caller, workspaceId), values };
    return this.upsert(() => Promise.resolve(input), caller, accepted);
  }

  async list(caller: Principal, { status, ...query }: ListProjectsDto): Promise<Page<ProjectDto>> {
    const { archived, filter } = buildStatusFilter<Project>(status, query.archived, () => ({}));
    return this.getPage(caller, { ...query, archived }, filter);
  }

  find(workspaceId: string, id: string): Promise<Project | undefined> {
    return this.records.find({ workspaceIds: [workspaceId] }, id);
  }

  /** @throws {NotFoundError | PreconditionFailedError | ArchivedError} */
  async change(
    caller: Principal,
    id: string,
    changes: ChangeProjectDto,
    accepted: AcceptedVersions,
  ): Promise<ProjectDto> {
    return this.toDto(await this.records.change(caller, id, caller, accepted, changes));
  }

  protected async toDtos(projects: readonly Project[], isNew = false): Promise<ProjectDto[]> {
    const counted = await this.counters.addCounts<Project, ProjectDto['counts']>('project', projects, isNew);
    return counted.map((project) => ({ ...project, status: project.archivedAt ? 'archived' : 'active' }));
  }
}
