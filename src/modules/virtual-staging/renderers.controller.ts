import { applyDecorators, Body, Controller, Param, Post, type Type } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { replyWithEtag } from '../../platform/http/conditional-requests.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { ApiFilesBody } from '../../platform/body/files-body.decorator.js';
import { AcceptsFiles } from '../../platform/body/body.decorators.js';
import { type Upload, Uploads } from '../../platform/body/upload.js';
import { ClaimToken } from './claim-token.decorator.js';
import {
  AddVariationsDto,
  ClaimStagingDto,
  FailStagingDto,
  HeartbeatDto,
  HeldClaimDto,
  StagingClaimDto,
} from './dto/claim.dto.js';
import { StagingDto } from './dto/virtual-staging.dto.js';
import { IMAGES, PICTURE } from './virtual-staging-images.js';
import { RenderQueueService } from './render-queue.service.js';

const claimToken = '7f9c2ba4-e88f-4a1d-9c61-1f3b8ad5c0de';

/** A call about a staging that the renderer has claimed: 409 where the claim no longer holds. */
function OfHolder(summary: string, message: string, description?: string): MethodDecorator {
  return applyDecorators(
    RequireScope('write:tours'),
    ApiOperation({ summary, description }),
    Enveloped(StagingDto, { message }),
    ApiErrors(400, 404, 409, 413, 415),
  );
}

const Says = (type: Type, example: object) => ApiBody({ type, examples: { first: { value: example } } });

/** Virtual staging, for the renderers that do it. */
@ApiTags('Virtual staging')
@Controller('v1/api/virtual-stagings')
export class RenderersController {
  constructor(private readonly queue: RenderQueueService) {}

  @Post('claims')
  @RequireScope('write:tours')
  @ApiOperation({
    summary: 'Claim the oldest staging that is queued',
    description:
      'It is processing from then on, and queued again where its renderer is silent for longer than the lease; after five ' +
      'silent claims it fails. Where none is queued, `staging` and `claimToken` are null.',
  })
  @Says(ClaimStagingDto, { types: ['stage', 'declutter'], leaseSeconds: 60 })
  @Enveloped(StagingClaimDto)
  @ApiErrors(400, 404, 413, 415)
  claim(@Caller() caller: Principal, @Body() body: ClaimStagingDto) {
    return this.queue.claim(caller, body);
  }

  @Post(':id/heartbeat')
  @OfHolder('Tell that the renderer is at work, and how far it is', 'The lease was extended')
  @Says(HeartbeatDto, { claimToken, progress: 40 })
  async heartbeat(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @ClaimToken() token: string,
    @Body() { progress }: HeartbeatDto,
  ) {
    return replyWithEtag(await this.queue.heartbeat({ caller, id, token }, progress));
  }

  @Post(':id/variations')
  @OfHolder(
    'Add images that the renderer made',
    'The variations were added',
    'Up to 10 images in a call, 20 MB each: as `multipart/form-data` under `files`, or as base64 or data URI in JSON. ' +
      'All of them have the label. The call extends the lease.',
  )
  @AcceptsFiles()
  @ApiFilesBody(AddVariationsDto, {
    example: { claimToken, label: 'Warm oak, evening light', files: [PICTURE] },
    files: { description: IMAGES },
  })
  @ApiErrors(422)
  async addVariations(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @ClaimToken() token: string,
    @Body() { label }: AddVariationsDto,
    @Uploads() uploads: Upload[],
  ) {
    return replyWithEtag(await this.queue.addVariations({ caller, id, token }, label, uploads));
  }

  @Post(':id/complete')
  @OfHolder('Tell that the renderer is done: the staging has succeeded', 'The staging has succeeded')
  @Says(HeldClaimDto, { claimToken })
  @ApiErrors(422)
  async complete(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @Body() _: HeldClaimDto,
    @ClaimToken() token: string,
  ) {
    return replyWithEtag(await this.queue.complete({ caller, id, token }));
  }

  @Post(':id/fail')
  @OfHolder('Tell that the renderer gives up: the staging has failed', 'The staging has failed')
  @Says(FailStagingDto, { claimToken, error: 'The picture shows no room.' })
  async fail(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @ClaimToken() token: string,
    @Body() { error }: FailStagingDto,
  ) {
    return replyWithEtag(await this.queue.fail({ caller, id, token }, error));
  }
}
