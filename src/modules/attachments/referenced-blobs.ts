import { Injectable } from '@nestjs/common';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { AttachmentsRepository, type ReferencedBlob } from './attachments.repository.js';

/** Rows per statement. */
const BATCH = 1_000;

/** The blobs that attachments reference. An upload or the cleanup job may be processing the others. */
@Injectable()
export class ReferencedBlobs {
  constructor(
    private readonly repository: AttachmentsRepository,
    private readonly workspaces: WorkspacesService,
  ) {}

  /** @param workspaceId limits the blobs to one workspace. */
  async *list(workspaceId?: string): AsyncGenerator<ReferencedBlob> {
    const ids = workspaceId ? [workspaceId] : (await this.workspaces.list()).map(({ id }) => id);
    for (const id of ids) yield* this.listOf(id);
  }

  private async *listOf(workspaceId: string): AsyncGenerator<ReferencedBlob> {
    let after = '';
    for (;;) {
      const found = await this.repository.listReferenced(workspaceId, after, BATCH);
      yield* found;
      const last = found.at(-1);
      if (!last || found.length < BATCH) return;
      after = last.sha256;
    }
  }
}
