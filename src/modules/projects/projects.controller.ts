import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiFailures } from '../../platform/http/error.dto.js';
import { type AcceptedVersions, IfMatch, Revalidated, tagged } from '../../platform/http/preconditions.js';
import { UuidPipe } from '../../platform/http/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { ChangeProjectDto, CreateProjectDto, ListProjectsDto, ProjectDto, ProjectPageDto } from './dto/project.dto.js';
import { ProjectsService } from './projects.service.js';

const EXAMPLE = { name: 'Boiler house retrofit', description: 'Scan and tag the boiler house before the outage.' };
const CHANGE = { name: 'Boiler house retrofit, phase 2', publicNotes: false };

@ApiTags('Projects')
@Controller('v1/api/projects')
export class ProjectsController {
  constructor(private readonly projects: ProjectsService) {}

  @Post()
  @RequireScope('write:projects')
  @ApiOperation({ summary: 'Create a project' })
  @ApiBody({ type: CreateProjectDto, examples: { first: { value: EXAMPLE } } })
  @Enveloped(ProjectDto, { status: 201, message: 'The project was created' })
  @ApiFailures(400, 404, 413, 415)
  async create(@Caller() caller: Principal, @Body() body: CreateProjectDto) {
    return tagged(await this.projects.create(caller, body));
  }

  @Get()
  @RequireScope('read:projects')
  @ApiOperation({ summary: "List the projects of the caller's workspaces" })
  @Enveloped(ProjectPageDto)
  @ApiFailures(400, 404)
  list(@Caller() caller: Principal, @Query() query: ListProjectsDto) {
    return this.projects.list(caller, query);
  }

  @Get(':id')
  @RequireScope('read:projects')
  @ApiOperation({ summary: 'Get a project' })
  @Revalidated()
  @Enveloped(ProjectDto)
  @ApiFailures(400, 404)
  async get(@Caller() caller: Principal, @Param('id', UuidPipe) id: string) {
    return tagged(await this.projects.get(caller, id));
  }

  @Patch(':id')
  @RequireScope('write:projects')
  @ApiOperation({ summary: 'Change a project', description: 'What is not sent stays as it is.' })
  @ApiBody({ type: ChangeProjectDto, examples: { first: { value: CHANGE } } })
  @Enveloped(ProjectDto, { message: 'The project was changed' })
  @ApiFailures(400, 404, 413, 415)
  async change(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @Body() body: ChangeProjectDto,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return tagged(await this.projects.change(caller, id, body, accepted));
  }
}
