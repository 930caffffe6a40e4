import { Controller, Get, Param, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { ApiFile, fileReply } from '../../platform/http/file-reply.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Public } from '../../platform/security/require-scope.decorator.js';
import { AttachmentsService } from './attachments.service.js';
import { SignedUrlDto } from './dto/signed-url.dto.js';
import type { FileVariant } from './signed-urls.js';

/** The signed URLs that records contain for their files. */
@ApiTags('Attachments')
@Controller('v1/public/attachments')
export class PublicAttachmentsController {
  constructor(private readonly attachments: AttachmentsService) {}

  @Get(':id')
  @Public()
  @ApiOperation({ summary: 'Download a file by the signed URL in its record' })
  @ApiFile()
  @ApiErrors(403)
  file(@Req() request: Request, @Param('id', UuidPipe) id: string, @Query() query: SignedUrlDto) {
    return this.send(request, id, 'file', query);
  }

  @Get(':id/thumbnail')
  @Public()
  @ApiOperation({ summary: 'Download the thumbnail of an image by the signed URL in its record' })
  @ApiFile()
  @ApiErrors(403)
  thumbnail(@Req() request: Request, @Param('id', UuidPipe) id: string, @Query() query: SignedUrlDto) {
    return this.send(request, id, 'thumbnail', query);
  }

  private async send(request: Request, id: string, variant: FileVariant, { expires, signature }: SignedUrlDto) {
    const file = await this.attachments.openSigned(id, variant, expires, signature);
    const secondsLeft = Math.max(0, expires - Math.ceil(Date.now() / 1000));
    return fileReply(request, file, `private, max-age=${secondsLeft}, immutable`);
  }
}
