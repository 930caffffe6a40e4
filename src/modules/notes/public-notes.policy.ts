import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { ProjectsService } from '../projects/projects.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { PublicQuotaError, PublicTextTooLargeError, NOTE_ERRORS } from './notes.errors.js';
import { NoteStatisticsRepository } from './note-statistics.repository.js';
import { countTextBytes } from './stored-bytes.js';
import { DomainError } from '../../../packages/errors/src/domain-error.js';

/** Limit of the texts of an anonymous note or message together: 64 KiB. */
export const MAX_TEXT_BYTES = 64 * 1024;

/** What anonymous callers may write (specification, section 4.9). */
@Injectable()
export class PublicNotesPolicy {
  constructor(
    private readonly projects: ProjectsService,
    private readonly workspaces: WorkspacesService,
    private readonly statistics: NoteStatisticsRepository,
    private readonly config: Config,
  ) {}

  /** @throws {DomainError} `public_notes_off`, by the service. */
  requireEnabled(): void {
    if (!this.config.notes.publicNotes) throw new DomainError(NOTE_ERRORS.public_notes_off);
  }

  /** @throws {DomainError} `public_notes_off`, by the service, the workspace, which may be deleted, or the project. */
  async authorize(workspaceId: string, projectId: string | null): Promise<void> {
    this.requireEnabled();
    const workspace = await this.workspaces.find(workspaceId);
    const { publicNotes = true } = workspace?.settings ?? { publicNotes: false };
    const project = projectId ? await this.projects.find(workspaceId, projectId) : undefined;
    if (!publicNotes || project?.publicNotes === false) throw new DomainError(NOTE_ERRORS.public_notes_off);
  }

  /**
   * @param fields the fields of a note or message.
   * @throws {PublicTextTooLargeError} if their texts are too large together.
   */
  requireText(fields: object): void {
    const bytes = countTextBytes(fields);
    if (bytes > MAX_TEXT_BYTES) throw new PublicTextTooLargeError(MAX_TEXT_BYTES, bytes);
  }

  /**
   * Checks the quota of what anonymous callers stored and no user of the workspace has reviewed. The result is exact
   * only while the caller has the workspace's counter locked; without the lock, the check avoids needless uploads.
   *
   * @param newBytes what is not counted yet.
   * @throws {PublicQuotaError}
   */
  async requireQuota(workspaceId: string, newBytes = 0): Promise<void> {
    const { publicQuotaBytes } = this.config.notes;
    const bytes = await this.statistics.sumUnreviewedBytes(workspaceId);
    if (bytes + newBytes > publicQuotaBytes) throw new PublicQuotaError(publicQuotaBytes);
  }
}
