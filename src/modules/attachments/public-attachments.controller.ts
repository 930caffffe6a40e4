import { applyDecorators, Controller, Get, Param, Req } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { ApiFile, fileReply } from '../../platform/http/file-reply.js';
import { IgnoresQuery } from '../../platform/http/unknown-query.guard.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Public } from '../../platform/security/require-scope.decorator.js';
import { AttachmentsService } from './attachments.service.js';
import type { FileVariant } from './signed-urls.js';
import { STORAGE_ERRORS } from '../../platform/storage/storage.errors.js';
import { THROTTLING_ERRORS } from '../../platform/throttling/throttling.errors.js';
import { ATTACHMENT_ERRORS } from './attachments.errors.js';

/** The service compares the query with the signed one, so nothing else validates it. */
const SignedQuery = () =>
  applyDecorators(
    IgnoresQuery(),
    ApiQuery({
      name: 'expires',
      description: 'Expiry of the URL, in seconds since the Unix epoch.',
      schema: { type: 'integer', example: 1767225600 },
    }),
    ApiQuery({
      name: 'signature',
      schema: { type: 'string', maxLength: 100, example: '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU' },
    }),
  );

/** The signed URLs that records contain for their files. */
@ApiTags('Attachments')
@ApiErrors(ATTACHMENT_ERRORS.url_expired, ATTACHMENT_ERRORS.invalid_signature)
@ApiErrors(THROTTLING_ERRORS.too_many_requests, STORAGE_ERRORS.storage_unavailable)
@Controller('v1/public/attachments')
export class PublicAttachmentsController {
  constructor(private readonly attachments: AttachmentsService) {}

  @Get(':id')
  @Public()
  @ApiOperation({ summary: 'Download a public file', description: 'By the signed URL in its record.' })
  @SignedQuery()
  @ApiFile()
  file(@Req() request: Request, @Param('id', UuidPipe) id: string) {
    return this.send(request, id, 'file');
  }

  @Get(':id/thumbnail')
  @Public()
  @ApiOperation({ summary: 'Download a public thumbnail', description: 'By the signed URL in its record.' })
  @SignedQuery()
  @ApiFile()
  thumbnail(@Req() request: Request, @Param('id', UuidPipe) id: string) {
    return this.send(request, id, 'thumbnail');
  }

  private async send(request: Request, id: string, variant: FileVariant) {
    const { file, expires } = await this.attachments.openSigned(id, variant, request.originalUrl);
    const secondsLeft = Math.max(0, expires - Math.ceil(Date.now() / 1000));
    return fileReply(request, file, `private, max-age=${secondsLeft}, immutable`);
  }
}
