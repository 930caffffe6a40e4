import { Injectable } from '@nestjs/common';
import { InvalidRequestError, NotFoundError } from '../../../packages/errors/src/domain-error.js';
import { listCallerPolicies } from '../../platform/security/caller-policies.js';
import type { CountRestriction } from '../../records/record-counters.js';
import {
  type ReferredEntity,
  type RowColumns,
  type RowKeys,
  RowReferences,
  type WithRowReferences,
} from '../../records/row-references.js';
import type { PolicyRules } from '../access-policies/policy-rules.js';
import { TagsService } from '../tours/tags.service.js';
import type { ListWorkspaceNotesDto } from './dto/list-notes.dto.js';
import type { NoteRowFilter, PermittedLocations } from './note-search.repository.js';
import type { Note } from './note.entity.js';
import { InvalidNoteError } from './notes.errors.js';

interface LocatedNote {
  id: string;
  location: { tableId: string; key: string } | null;
}

type NoteLocation = Pick<Note, 'workspaceId' | 'locationTableId' | 'locationKey'>;

/**
 * The rows to which notes refer, and the locations at which access policies permit the caller to read and write notes
 * (ADR 0161).
 */
@Injectable()
export class NoteLocations {
  constructor(
    private readonly rows: RowReferences,
    private readonly tags: TagsService,
  ) {}

  /** Replaces the references of notes of one workspace by DTOs with the names of the rows. */
  expand<T extends RowColumns>(workspaceId: string, notes: readonly T[]): Promise<WithRowReferences<T>[]> {
    return this.rows.expand(workspaceId, notes);
  }

  /** Do policies restrict the notes of the workspace for the caller? */
  isRestricted(workspaceId: string): boolean {
    return listRoots(workspaceId).length > 0;
  }

  /** The IDs of the notes that exist for the caller. */
  async findVisible(workspaceId: string, notes: readonly LocatedNote[]): Promise<Set<string>> {
    const locations = await this.listPermitted(workspaceId);
    const isVisible = ({ location }: LocatedNote) =>
      !locations || locations.some(({ tableId, keys }) => tableId === location?.tableId && keys.includes(location.key));
    return new Set(notes.filter(isVisible).map(({ id }) => id));
  }

  /** @throws {NotFoundError} if the note does not exist for the caller. */
  async requireVisible(note: NoteLocation): Promise<void> {
    if (!(await this.isPermitted(note))) throw new NotFoundError('The note');
  }

  /** @throws {InvalidNoteError} if the caller may not file a note at its location. */
  async requireWritable(note: NoteLocation): Promise<void> {
    if (await this.isPermitted(note)) return;
    const message = 'The access policy of the caller does not permit notes at this location.';
    throw new InvalidNoteError({ field: 'location', code: 'outside_policy', message });
  }

  /**
   * The rows that the filters of a list and the policies of the caller select. Keys are unique only per table, thus per
   * workspace.
   *
   * @throws {InvalidRequestError | UnknownTableError}
   */
  async select(workspaceIds: readonly string[], query: ListWorkspaceNotesDto): Promise<NoteRowFilter> {
    const permitted: PermittedLocations[] = [];
    for (const workspaceId of workspaceIds) {
      const locations = await this.selectPermitted(workspaceId);
      if (locations) permitted.push(locations);
    }
    return { ...(await this.selectNamed(workspaceIds, query)), permitted };
  }

  /** The locations at which the caller may read notes of the workspace; undefined if no policy restricts notes. */
  async selectPermitted(workspaceId: string): Promise<PermittedLocations | undefined> {
    const locations = await this.listPermitted(workspaceId);
    return locations && { workspaceId, locations };
  }

  /** The notes that a count of the workspace contains; undefined if no policy restricts notes. */
  async restrictCount(workspaceId: string): Promise<CountRestriction | undefined> {
    const locations = await this.listPermitted(workspaceId);
    if (!locations) return undefined;
    const pairs = locations.flatMap(({ tableId, keys }) => keys.map((key) => ({ tableId, key })));
    const suffix = workspaceId.replaceAll('-', '');
    return {
      condition: `(record.locationTableId, record.locationKey) IN (
        SELECT * FROM unnest(:tables${suffix}::uuid[], :keys${suffix}::text[]))`,
      parameters: Object.fromEntries([
        [`tables${suffix}`, pairs.map(({ tableId }) => tableId)],
        [`keys${suffix}`, pairs.map(({ key }) => key)],
      ]),
    };
  }

  private async selectNamed(
    workspaceIds: readonly string[],
    { location, under, locationKey, asset, assetKey }: ListWorkspaceNotesDto,
  ): Promise<NoteRowFilter> {
    if (location === undefined && under === undefined && asset === undefined) return {};
    const workspaceId = requireOnlyWorkspace(workspaceIds, 'location, under or asset');
    const filter: NoteRowFilter = {};
    if (under !== undefined) filter.location = await this.rows.findSubtree(workspaceId, under, locationKey);
    else if (location !== undefined)
      filter.location = await this.selectKey(workspaceId, 'location', location, locationKey);
    if (filter.location) filter.tagIds = await this.tags.listIdsAt(workspaceId, filter.location);
    if (asset !== undefined) filter.asset = await this.selectKey(workspaceId, 'asset', asset, assetKey);
    return filter;
  }

  private async selectKey(workspaceId: string, entity: ReferredEntity, key: string, table?: string) {
    const found = await this.rows.lockByKey(workspaceId, entity, key, table);
    return found.map((row) => ({ tableId: row.tableId, keys: [row.key] }));
  }

  /** May the caller read a note at the location? */
  async isPermitted({ workspaceId, locationTableId, locationKey }: NoteLocation): Promise<boolean> {
    const locations = await this.listPermitted(workspaceId);
    if (!locations) return true;
    return locations.some(({ tableId, keys }) => tableId === locationTableId && keys.includes(locationKey ?? ''));
  }

  /** The locations that all policies permit; undefined if none restricts notes. */
  private async listPermitted(workspaceId: string): Promise<RowKeys[] | undefined> {
    let permitted: RowKeys[] | undefined;
    for (const root of listRoots(workspaceId)) {
      const subtree = await this.rows.findWholeSubtree(workspaceId, root);
      permitted = permitted ? intersect(permitted, subtree) : subtree;
    }
    return permitted;
  }
}

/** @throws {InvalidRequestError} if there are several workspaces, or none. */
export function requireOnlyWorkspace(workspaceIds: readonly string[], parameter: string): string {
  const [workspaceId, ...others] = workspaceIds;
  if (workspaceId !== undefined && others.length === 0) return workspaceId;
  const message = `workspaceId is required with ${parameter}, because the caller does not have exactly one workspace.`;
  throw new InvalidRequestError([{ field: 'workspaceId', code: 'required', message }]);
}

/** The keys of the locations below which policies permit notes. */
function listRoots(workspaceId: string): string[] {
  return listCallerPolicies(workspaceId).flatMap(({ rules }) => (rules as PolicyRules).notes?.under ?? []);
}

function intersect(first: readonly RowKeys[], second: readonly RowKeys[]): RowKeys[] {
  return first.map(({ tableId, keys }) => {
    const others = new Set(second.find((rows) => rows.tableId === tableId)?.keys);
    return { tableId, keys: keys.filter((key) => others.has(key)) };
  });
}
