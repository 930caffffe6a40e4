import { Module } from '@nestjs/common';
import { AttachmentsController } from './attachments.controller.js';
import { AttachmentsService } from './attachments.service.js';
import { FileAuditService } from './file-audit.service.js';
import { Previews } from './previews.js';
import { PublicAttachmentsController } from './public-attachments.controller.js';
import { SignedUrls } from './signed-urls.js';
import { BlobCleanup } from './blob-cleanup.js';

/** Files of records: their bytes in the storage, the rows that claim them, and the addresses to download them at. */
@Module({
  controllers: [AttachmentsController, PublicAttachmentsController],
  providers: [AttachmentsService, FileAuditService, Previews, SignedUrls, BlobCleanup],
  exports: [AttachmentsService, FileAuditService],
})
export class AttachmentsModule {}
