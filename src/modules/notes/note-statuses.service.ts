import { Injectable } from '@nestjs/common';
import { InvalidRequestError } from '../../platform/http/domain-error.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { DEFAULT_STATUSES, findStatus, getInitialStatus, normalizeStatus, type NoteStatus } from './note-status.js';
import { InvalidNoteError } from './notes.errors.js';

/** The statuses that notes of a workspace can have. */
@Injectable()
export class NoteStatusesService {
  constructor(private readonly workspaces: WorkspacesService) {}

  async list(workspaceId: string): Promise<readonly NoteStatus[]> {
    const { noteStatuses } = await this.workspaces.settings(workspaceId);
    return (noteStatuses as NoteStatus[] | undefined) ?? DEFAULT_STATUSES;
  }

  /**
   * Replaces the statuses of the workspace. Notes retain a removed status until they get another.
   *
   * @throws {InvalidRequestError} if two statuses have the same key.
   */
  async change(workspaceId: string, statuses: readonly NoteStatus[]): Promise<readonly NoteStatus[]> {
    const normalized = statuses.map(({ key, category }) => ({ key: normalizeStatus(key), category }));
    const errors = normalized.flatMap(({ key }, at) => {
      const field = `statuses[${at}].key`;
      const isDuplicate = normalized.findIndex((other) => other.key === key) < at;
      const message = `${field}: duplicate key "${key}". Use each key once.`;
      return isDuplicate ? [{ field, code: 'duplicate', message }] : [];
    });
    if (errors.length > 0) throw new InvalidRequestError(errors);
    await this.workspaces.changeSettings(workspaceId, { noteStatuses: normalized });
    return normalized;
  }

  /**
   * The status with this name in any letter case; null is the status of a new note.
   *
   * @throws {InvalidNoteError} if the workspace has no such status.
   */
  async get(workspaceId: string, name: string | null): Promise<NoteStatus> {
    const statuses = await this.list(workspaceId);
    if (name === null) return getInitialStatus(statuses);
    const status = findStatus(statuses, name);
    if (status) return status;
    const allowed = statuses.map(({ key }) => key).join(', ');
    const message = `"${name.slice(0, 100)}" is not a status of the workspace. Allowed: ${allowed}.`;
    throw new InvalidNoteError('status', 'unknown_status', message);
  }
}
