import { applyDecorators, Body, Controller, Param, Post, type Type } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AcceptsFiles } from '../../platform/body/body.decorators.js';
import { ApiFilesBody } from '../../platform/body/files-body.decorator.js';
import { MAX_FILE_BYTES, MAX_FILES } from '../../platform/body/body-limits.js';
import { type Upload, Uploads } from '../../platform/body/upload.js';
import { formatBytes } from '../../platform/config/limits.js';
import { replyWithEtag } from '../../platform/http/conditional-requests.js';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { RenewReplayedBodies } from '../../platform/http/idempotency/renew-replayed-bodies.decorator.js';
import { ClaimToken } from './claim-token.decorator.js';
import {
  AddVariationsDto,
  ClaimStagingDto,
  FailStagingDto,
  HeartbeatDto,
  ClaimTokenDto,
  StagingClaimDto,
} from './dto/claim.dto.js';
import { EXAMPLE_IMAGE, IMAGES_DESCRIPTION, StagingDto } from './dto/virtual-staging.dto.js';
import { RenderQueueService } from './render-queue.service.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { ATTACHMENT_ERRORS } from '../attachments/attachments.errors.js';
import { INVALID_STAGING, STAGING_CONFLICTS } from './virtual-staging.errors.js';

const claimToken = '7f9c2ba4-e88f-4a1d-9c61-1f3b8ad5c0de';

/** The route of an action that requires a valid claim; otherwise 409. */
function ClaimedRoute(action: string, summary: string, message: string, description?: string): MethodDecorator {
  return applyDecorators(
    Post(`:id/${action}`),
    RequireScope('write:tours', 'editor'),
    ApiOperation({ summary, description }),
    Enveloped(StagingDto, { message }),
    ApiErrors(...STAGING_CONFLICTS),
  );
}

const ExampleBody = (type: Type, example: object) => ApiBody({ type, examples: { first: { value: example } } });

/** Virtual staging for renderers. */
@ApiTags('Virtual staging')
@RenewReplayedBodies()
@ObeysPolicies()
@Controller('v1/api/virtual-stagings')
export class RenderersController {
  constructor(private readonly queue: RenderQueueService) {}

  @Post('claims')
  @RequireScope('write:tours', 'editor')
  @ApiOperation({
    summary: 'Claim a virtual staging',
    description:
      'The oldest queued one gets the status `processing` and a lease, which each call of the renderer renews. After an ' +
      'expired lease it is queued again; after five it fails. If none is queued, `staging` and `claimToken` are null.',
  })
  @ExampleBody(ClaimStagingDto, { types: ['stage', 'declutter'], leaseSeconds: 60 })
  @Enveloped(StagingClaimDto)
  @ApiErrors(HTTP_ERRORS.not_found)
  claim(@Caller() caller: Principal, @Body() body: ClaimStagingDto) {
    return this.queue.claim(caller, body);
  }

  @ClaimedRoute('heartbeat', 'Report the progress of rendering', 'The lease was extended', 'Renews the lease.')
  @ExampleBody(HeartbeatDto, { claimToken, progress: 40 })
  async heartbeat(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @ClaimToken() token: string,
    @Body() { progress }: HeartbeatDto,
  ) {
    return replyWithEtag(await this.queue.heartbeat({ caller, id, token }, progress));
  }

  @ClaimedRoute(
    'variations',
    'Add rendered images',
    'The variations were added',
    `Up to ${MAX_FILES} images of ${formatBytes(MAX_FILE_BYTES)} each per call: ` +
      '`files` of a form or of JSON. All of them get the label. The call renews the lease.',
  )
  @AcceptsFiles()
  @ApiFilesBody(AddVariationsDto, {
    example: { claimToken, label: 'Warm oak, evening light', files: [EXAMPLE_IMAGE] },
    files: { description: IMAGES_DESCRIPTION },
  })
  @ApiErrors(HTTP_ERRORS.required, ...INVALID_STAGING, ATTACHMENT_ERRORS.upload_expired)
  async addVariations(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @ClaimToken() token: string,
    @Body() { label }: AddVariationsDto,
    @Uploads() uploads: Upload[],
  ) {
    return replyWithEtag(await this.queue.addVariations({ caller, id, token }, label, uploads));
  }

  @ClaimedRoute('complete', 'Complete a virtual staging', 'The virtual staging has succeeded')
  @ExampleBody(ClaimTokenDto, { claimToken })
  @ApiErrors(...INVALID_STAGING)
  async complete(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @Body() _: ClaimTokenDto,
    @ClaimToken() token: string,
  ) {
    return replyWithEtag(await this.queue.complete({ caller, id, token }));
  }

  @ClaimedRoute('fail', 'Report that rendering failed', 'The virtual staging has failed')
  @ExampleBody(FailStagingDto, { claimToken, error: 'The picture shows no room.' })
  async fail(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @ClaimToken() token: string,
    @Body() { error }: FailStagingDto,
  ) {
    return replyWithEtag(await this.queue.fail({ caller, id, token }, error));
  }
}
