import { Controller, Get, Param, Req } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { ApiFile, fileReply } from '../../platform/http/file-reply.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { AttachmentsService } from './attachments.service.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { STORAGE_ERRORS } from '../../platform/storage/storage.errors.js';

/** The bytes never change, but the caller's access may: browsers must revalidate. */
const CACHE_CONTROL = 'private, no-cache';

@ApiGroup({
  name: 'Attachments',
  description:
    'Files of notes and virtual stagings, and thumbnails of pictures. The signed URLs that notes contain need no credentials.',
  guide: 'notes',
})
@ApiErrors(STORAGE_ERRORS.storage_unavailable)
@ObeysPolicies()
@Controller('v1/api/attachments')
export class AttachmentsController {
  constructor(private readonly attachments: AttachmentsService) {}

  @Get(':id')
  @RequireScope(['read:projects', 'read:workspaces', 'read:tours'], 'reader')
  @ApiOperation({ summary: 'Download a file', description: 'Of a note or virtual staging.' })
  @ApiFile()
  async file(@Caller() { workspaceIds }: Principal, @Req() request: Request, @Param('id', UuidPipe) id: string) {
    return fileReply(request, await this.attachments.open(workspaceIds, id, 'file'), CACHE_CONTROL);
  }

  @Get(':id/thumbnail')
  @RequireScope(['read:projects', 'read:workspaces', 'read:tours'], 'reader')
  @ApiOperation({ summary: 'Download a thumbnail', description: 'Of an image, as WebP.' })
  @ApiFile()
  async thumbnail(@Caller() { workspaceIds }: Principal, @Req() request: Request, @Param('id', UuidPipe) id: string) {
    return fileReply(request, await this.attachments.open(workspaceIds, id, 'thumbnail'), CACHE_CONTROL);
  }
}
