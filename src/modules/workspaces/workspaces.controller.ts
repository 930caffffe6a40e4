import { Body, Controller, Param, Query } from '@nestjs/common';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { type AcceptedVersions, IfMatch, replyWithEtag } from '../../platform/http/conditional-requests.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { selectFields } from '../../records/field-selection.js';
import { defineRecordRoutes } from '../../records/record-routes.decorator.js';
import { CallerWorkspacesService } from './caller-workspaces.service.js';
import { ChangeWorkspaceDto, ListWorkspacesDto, WorkspaceDto, WorkspacePageDto } from './dto/workspace.dto.js';
import { RECORD_ERRORS } from '../../records/records.errors.js';
import { WORKSPACE_ERRORS } from './workspaces.errors.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';

const { ListRoute, GetRoute, ChangeRoute } = defineRecordRoutes({
  one: 'workspace',
  many: 'workspaces',
  dto: WorkspaceDto,
  scopes: { read: 'read:workspaces', write: 'write:workspaces', archive: 'write:workspaces' },
  roles: { read: 'reader', write: 'owner', archive: 'owner' },
  conflicts: [WORKSPACE_ERRORS.slug_taken, RECORD_ERRORS.archived],
});
const CHANGE = { timezone: 'Europe/Vienna', settings: { publicNotes: true } };

@ApiGroup({
  name: 'Start here',
  description:
    'Press *Authorize*, then list your workspaces: most paths need the ID of one. In Swagger UI the operations below ' +
    'are filled in, and run in their order with nothing typed.',
  guide: 'authentication',
})
@ObeysPolicies()
@Controller('v1/api/workspaces')
export class WorkspacesController {
  constructor(private readonly workspaces: CallerWorkspacesService) {}

  @ListRoute(WorkspacePageDto)
  async list(@Caller() caller: Principal, @Query() query: ListWorkspacesDto) {
    return selectFields(await this.workspaces.list(caller, query), query.fields);
  }

  @GetRoute()
  async get(@Caller() caller: Principal, @Param('id', UuidPipe) id: string) {
    return replyWithEtag(await this.workspaces.get(caller, id));
  }

  @ChangeRoute(ChangeWorkspaceDto, CHANGE)
  async change(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @Body() body: ChangeWorkspaceDto,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyWithEtag(await this.workspaces.change(caller, id, body, accepted));
  }
}
