import { Module, type OnModuleInit } from '@nestjs/common';
import { ReplayedBodies } from '../../platform/http/idempotency/replayed-bodies.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AttachmentsController } from './attachments.controller.js';
import { AttachmentsRepository } from './attachments.repository.js';
import { AttachmentsService } from './attachments.service.js';
import { BlobCleanup } from './blob-cleanup.js';
import { FileAuditService } from './file-audit.service.js';
import { FileBackupService } from './file-backup.service.js';
import { Previews } from './previews.js';
import { PublicAttachmentsController } from './public-attachments.controller.js';
import { ReferencedBlobs } from './referenced-blobs.js';
import { SignedUrls } from './signed-urls.js';
import { WorkspaceFilesService } from './workspace-files.service.js';

/** Files of records: blobs in the storage, attachments that reference them, and their download URLs. */
@Module({
  imports: [WorkspacesModule],
  controllers: [AttachmentsController, PublicAttachmentsController],
  providers: [
    AttachmentsRepository,
    AttachmentsService,
    BlobCleanup,
    FileAuditService,
    FileBackupService,
    Previews,
    ReferencedBlobs,
    SignedUrls,
    WorkspaceFilesService,
  ],
  exports: [AttachmentsService, FileAuditService, FileBackupService, WorkspaceFilesService],
})
export class AttachmentsModule implements OnModuleInit {
  constructor(
    private readonly replayedBodies: ReplayedBodies,
    private readonly urls: SignedUrls,
  ) {}

  onModuleInit(): void {
    this.replayedBodies.register((body) => this.urls.renewAll(body));
  }
}
