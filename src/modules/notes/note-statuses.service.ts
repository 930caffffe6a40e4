import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { InvalidRequestError } from '../../../packages/errors/src/domain-error.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { DEFAULT_STATUSES, findStatus, getInitialStatus, normalizeStatus, type NoteStatus } from './note-status.js';
import { InvalidNoteError } from './notes.errors.js';

/** The statuses that a workspace has configured; null if it has the default ones. */
export type OwnStatuses = readonly NoteStatus[] | null;

/** Workspaces whose statuses an instance remembers. */
const MAX_REMEMBERED = 10_000;

/** The statuses that notes of a workspace can have. */
@Injectable()
export class NoteStatusesService {
  /** The statuses of each workspace as last read, possibly outdated. */
  private readonly remembered = new LRUCache<string, { own: OwnStatuses }>({ max: MAX_REMEMBERED });

  constructor(private readonly workspaces: WorkspacesService) {}

  async list(workspaceId: string): Promise<readonly NoteStatus[]> {
    return (await this.read(workspaceId)) ?? DEFAULT_STATUSES;
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
    return requireStatus(await this.list(workspaceId), name);
  }

  /**
   * Finds the status without a statement if the instance remembers the statuses of the workspace. The remembered
   * statuses may be outdated: the statement that writes the status compares `own`. If `own` differs, the caller calls
   * `forget`, and repeats `recall` and the statement.
   *
   * @throws {InvalidNoteError} if the workspace has no such status.
   */
  async recall(workspaceId: string, name: string | null): Promise<{ status: NoteStatus; own: OwnStatuses }> {
    const remembered = this.remembered.get(workspaceId);
    const known = remembered && findByName(remembered.own ?? DEFAULT_STATUSES, name);
    if (remembered && known) return { status: known, own: remembered.own };
    const own = await this.read(workspaceId);
    this.remembered.set(workspaceId, { own });
    return { status: requireStatus(own ?? DEFAULT_STATUSES, name), own };
  }

  forget(workspaceId: string): void {
    this.remembered.delete(workspaceId);
  }

  private async read(workspaceId: string): Promise<OwnStatuses> {
    const { noteStatuses } = await this.workspaces.settings(workspaceId);
    return (noteStatuses as NoteStatus[] | undefined) ?? null;
  }
}

function findByName(statuses: readonly NoteStatus[], name: string | null): NoteStatus | undefined {
  return name === null ? getInitialStatus(statuses) : findStatus(statuses, name);
}

/** @throws {InvalidNoteError} */
function requireStatus(statuses: readonly NoteStatus[], name: string | null): NoteStatus {
  const status = findByName(statuses, name);
  if (status) return status;
  const allowed = statuses.map(({ key }) => key).join(', ');
  const message = `"${name!.slice(0, 100)}" is not a status of the workspace. Allowed: ${allowed}.`;
  throw new InvalidNoteError('status', 'unknown_status', message);
}
