import { applyDecorators, Body, Controller, Param, Post, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { AcceptsFiles } from '../../platform/body/body.decorators.js';
import { ApiFilesBody } from '../../platform/body/files-body.decorator.js';
import { type Upload, Uploads } from '../../platform/body/upload.js';
import { type AcceptedVersions, IfMatch, replyWithEtag } from '../../platform/http/conditional-requests.js';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { RenewReplayedBodies } from '../../platform/http/idempotency/renew-replayed-bodies.decorator.js';
import { selectFields } from '../../records/field-selection.js';
import { defineRecordRoutes, replyToUpsert } from '../../records/record-routes.decorator.js';
import {
  ChangeStagingDto,
  CreateStagingDto,
  EXAMPLE_IMAGE,
  IMAGES_DESCRIPTION,
  ListStagingsDto,
  StagingDto,
  StagingPageDto,
} from './dto/virtual-staging.dto.js';
import { VirtualStagingsService } from './virtual-stagings.service.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { ATTACHMENT_ERRORS } from '../attachments/attachments.errors.js';
import { INVALID_STAGING, STAGING_CONFLICTS } from './virtual-staging.errors.js';

const { CreateRoute, ListRoute, GetRoute, ChangeRoute, ArchiveRoute, RestoreRoute } = defineRecordRoutes({
  one: 'virtual staging',
  many: 'virtual stagings',
  dto: StagingDto,
  scopes: { read: 'read:tours', write: 'write:tours', archive: 'delete:tours' },
  roles: { read: 'reader', write: 'editor', archive: 'editor' },
  conflicts: STAGING_CONFLICTS,
});
const EXAMPLE = {
  tourId: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a',
  type: 'stage',
  roomType: 'living room',
  style: 'scandinavian',
  files: [EXAMPLE_IMAGE],
};
const CHANGE = { style: 'industrial' };

/** The image is an upload, as form or JSON, or the ID of an attachment. */
const CreateWithImageRoute = () =>
  applyDecorators(
    CreateRoute(CreateStagingDto, EXAMPLE),
    AcceptsFiles(),
    ApiFilesBody(CreateStagingDto, { example: EXAMPLE, files: { maxItems: 1, description: IMAGES_DESCRIPTION } }),
    ApiErrors(HTTP_ERRORS.required, ...INVALID_STAGING, ATTACHMENT_ERRORS.upload_expired),
  );

/** Virtual staging for the callers that request it. */
@ApiGroup({
  name: 'Virtual staging',
  description:
    'Queue pictures of rooms for rendering. Renderers claim jobs, add variations, and complete them or report a failure.',
  guide: 'virtual-staging',
})
@RenewReplayedBodies()
@ObeysPolicies()
@Controller('v1/api/virtual-stagings')
export class VirtualStagingsController {
  constructor(private readonly stagings: VirtualStagingsService) {}

  @CreateWithImageRoute()
  async create(
    @Caller() caller: Principal,
    @Body() body: CreateStagingDto,
    @Uploads() uploads: Upload[],
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyToUpsert(await this.stagings.create(caller, body, uploads, accepted), 'The virtual staging');
  }

  @ListRoute(StagingPageDto)
  async list(@Caller() caller: Principal, @Query() query: ListStagingsDto) {
    return selectFields(await this.stagings.list(caller, query), query.fields);
  }

  @GetRoute()
  async get(@Caller() caller: Principal, @Param('id', UuidPipe) id: string) {
    return replyWithEtag(await this.stagings.get(caller, id));
  }

  @ChangeRoute(ChangeStagingDto, CHANGE)
  async change(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @Body() body: ChangeStagingDto,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyWithEtag(await this.stagings.change(caller, id, body, accepted));
  }

  @Post(':id/cancel')
  @RequireScope('write:tours', 'editor')
  @ApiOperation({ summary: 'Cancel a virtual staging', description: 'One that is queued or processing.' })
  @Enveloped(StagingDto, { message: 'The virtual staging was cancelled' })
  @ApiErrors(...STAGING_CONFLICTS)
  async cancel(@Caller() caller: Principal, @Param('id', UuidPipe) id: string, @IfMatch() accepted: AcceptedVersions) {
    return replyWithEtag(await this.stagings.cancel(caller, id, accepted));
  }

  @ArchiveRoute()
  async archive(@Caller() caller: Principal, @Param('id', UuidPipe) id: string, @IfMatch() accepted: AcceptedVersions) {
    return replyWithEtag(await this.stagings.archive(caller, id, true, accepted));
  }

  @RestoreRoute()
  async restore(@Caller() caller: Principal, @Param('id', UuidPipe) id: string, @IfMatch() accepted: AcceptedVersions) {
    return replyWithEtag(await this.stagings.archive(caller, id, false, accepted));
  }
}
