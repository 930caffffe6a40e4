import { Body, Controller, Param, Query } from '@nestjs/common';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { type AcceptedVersions, IfMatch, replyWithEtag } from '../../platform/http/conditional-requests.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { selectFields } from '../../records/field-selection.js';
import { defineRecordRoutes, replyToUpsert } from '../../records/record-routes.decorator.js';
import { ChangeProjectDto, CreateProjectDto, ListProjectsDto, ProjectDto, ProjectPageDto } from './dto/project.dto.js';
import { ProjectsService } from './projects.service.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';

const { CreateRoute, ListRoute, GetRoute, ChangeRoute, ArchiveRoute, RestoreRoute } = defineRecordRoutes({
  one: 'project',
  many: 'projects',
  dto: ProjectDto,
  scopes: { read: 'read:projects', write: 'write:projects', archive: 'delete:projects' },
  roles: { read: 'reader', write: 'editor', archive: 'editor' },
});
const EXAMPLE = { name: 'Boiler house retrofit', description: 'Scan and tag the boiler house before the outage.' };
const CHANGE = { name: 'Boiler house retrofit, phase 2', publicNotes: true };

@ApiGroup({
  name: 'Projects',
  description: 'A project groups tours and notes of a workspace. Archived projects can be restored.',
  guide: 'records',
})
@ObeysPolicies()
@Controller('v1/api/projects')
export class ProjectsController {
  constructor(private readonly projects: ProjectsService) {}

  @CreateRoute(CreateProjectDto, EXAMPLE)
  async create(@Caller() caller: Principal, @Body() body: CreateProjectDto, @IfMatch() accepted: AcceptedVersions) {
    return replyToUpsert(await this.projects.create(caller, body, accepted), 'The project');
  }

  @ListRoute(ProjectPageDto)
  async list(@Caller() caller: Principal, @Query() query: ListProjectsDto) {
    return selectFields(await this.projects.list(caller, query), query.fields);
  }

  @GetRoute()
  async get(@Caller() caller: Principal, @Param('id', UuidPipe) id: string) {
    return replyWithEtag(await this.projects.get(caller, id));
  }

  @ChangeRoute(ChangeProjectDto, CHANGE)
  async change(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @Body() body: ChangeProjectDto,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyWithEtag(await this.projects.change(caller, id, body, accepted));
  }

  @ArchiveRoute()
  async archive(@Caller() caller: Principal, @Param('id', UuidPipe) id: string, @IfMatch() accepted: AcceptedVersions) {
    return replyWithEtag(await this.projects.archive(caller, id, true, accepted));
  }

  @RestoreRoute()
  async restore(@Caller() caller: Principal, @Param('id', UuidPipe) id: string, @IfMatch() accepted: AcceptedVersions) {
    return replyWithEtag(await this.projects.archive(caller, id, false, accepted));
  }
}
