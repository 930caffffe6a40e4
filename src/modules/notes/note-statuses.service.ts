import { Injectable } from '@nestjs/common';
import { InvalidRequestError } from '../../platform/http/domain-error.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { DEFAULT_STATUSES, findStatus, firstStatus, foldStatus, type NoteStatus } from './note-status.js';
import { InvalidNoteError } from './notes.errors.js';

/** Which statuses the notes of a workspace may have. */
@Injectable()
export class NoteStatusesService {
  constructor(private readonly workspaces: WorkspacesService) {}

  async list(workspaceId: string): Promise<readonly NoteStatus[]> {
    const { noteStatuses } = await this.workspaces.settings(workspaceId);
    return (noteStatuses as NoteStatus[] | undefined) ?? DEFAULT_STATUSES;
  }

  /** Notes keep a status that is no longer on the list until they are moved. @throws {InvalidRequestError} */
  async change(workspaceId: string, statuses: readonly NoteStatus[]): Promise<readonly NoteStatus[]> {
    const folded = statuses.map(({ key, category }) => ({ key: foldStatus(key), category }));
    const errors = folded.flatMap(({ key }, at) =>
      folded.findIndex((other) => other.key === key) < at
        ? [{ field: `statuses[${at}].key`, code: 'duplicate', message: `${key} stands on the list twice` }]
        : [],
    );
    if (errors.length > 0) throw new InvalidRequestError(errors);
    await this.workspaces.changeSettings(workspaceId, { noteStatuses: folded });
    return folded;
  }

  /** The status by its name; of a new note without one, the first. @throws {InvalidNoteError} */
  async get(workspaceId: string, name: string | null): Promise<NoteStatus> {
    const statuses = await this.list(workspaceId);
    if (name === null) return firstStatus(statuses);
    const status = findStatus(statuses, name);
    if (status) return status;
    const permitted = statuses.map(({ key }) => key).join(', ');
    throw new InvalidNoteError('status', 'unknown_status', `"${name.slice(0, 100)}" is none of ${permitted}.`);
  }
}
