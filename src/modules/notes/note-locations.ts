import { Injectable } from '@nestjs/common';
import { toArrayText } from '../../../packages/sql/src/sql-literal.js';
import { InvalidRequestError, NotFoundError } from '../../../packages/errors/src/domain-error.js';
import { listCallerPolicies } from '../../platform/security/caller-policies.js';
import { lookUpOnce } from '../../records/lookups.js';
import type { CountRestriction } from '../../records/record-counters.js';
import type { ReferredEntity, RowColumns, RowKeys, WithRowReferences } from '../../records/row-references.js';
import { type RowReference, RowReferencesService } from '../workspace-tables/query/row-references.service.js';
import type { PolicyRules } from '../access-policies/policy-rules.js';
import { TagsService } from '../tours/tags.service.js';
import {
  isAtPermitted,
  type NoteConditions,
  type NoteRowFilter,
  type PermittedLocations,
} from './note-search.repository.js';
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
    private readonly rows: RowReferencesService,
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
    let visible = notes;
    for (const root of listRoots(workspaceId)) {
      const locations = visible.flatMap(({ location }) => location ?? []);
      const inside = await this.rows.listInWholeSubtree(workspaceId, root, locations);
      const permitted = new Set(inside.map(toMapKey));
      visible = visible.filter(({ location }) => location && permitted.has(toMapKey(location)));
    }
    return new Set(visible.map(({ id }) => id));
  }

  /**
   * @param field that names the note, if the path does not.
   * @throws {NotFoundError} if the note does not exist for the caller.
   */
  async requireVisible(note: NoteLocation, field?: string): Promise<void> {
    if (!(await this.isPermitted(note))) throw new NotFoundError('The note', field);
  }

  /** The error of a note that the caller may not file at its location. */
  async findLocationError(note: NoteLocation): Promise<InvalidNoteError | undefined> {
    if (await this.isPermitted(note)) return undefined;
    const message = 'The access policy of the caller does not permit notes at this location.';
    return new InvalidNoteError({ field: 'location', code: 'outside_policy', message });
  }

  /**
   * The rows that the filters of a list and the policies of the caller select. Keys are unique only per table, thus per
   * workspace.
   *
   * @throws {InvalidRequestError | UnknownTableError}
   */
  async select(workspaceIds: readonly string[], query: NoteConditions): Promise<NoteRowFilter> {
    const permitted: PermittedLocations[] = [];
    for (const workspaceId of workspaceIds) {
      const locations = await this.selectPermitted(workspaceId);
      if (locations) permitted.push(locations);
    }
    return { ...(await this.selectNamed(workspaceIds, query)), permitted };
  }

  /** The locations at which the caller may read notes of the workspace; undefined if no policy restricts notes. */
  async selectPermitted(workspaceId: string): Promise<PermittedLocations | undefined> {
    const roots = listRoots(workspaceId);
    if (roots.length === 0) return undefined;
    const subtrees: RowKeys[][] = [];
    for (const root of roots) subtrees.push(await this.rows.findWholeSubtree(workspaceId, root));
    return { workspaceId, subtrees };
  }

  /** The notes that a count of the workspace contains; undefined if no policy restricts notes. */
  async restrictCount(workspaceId: string): Promise<CountRestriction | undefined> {
    const permitted = await this.selectPermitted(workspaceId);
    if (!permitted) return undefined;
    const parameters: Record<string, string> = {};
    const bind = (value: string) => {
      const name = `location${Object.keys(parameters).length}${workspaceId.replaceAll('-', '')}`;
      parameters[name] = value;
      return `:${name}`;
    };
    return { condition: isAtPermitted(permitted, bind, 'record'), parameters };
  }

  private async selectNamed(
    workspaceIds: readonly string[],
    { location, under, locationKey, asset, assetKey }: NoteConditions,
  ): Promise<NoteRowFilter> {
    const isLocated = location !== undefined || under !== undefined;
    if (!isLocated) requireAbsent('locationKey', locationKey, '"location" or "under"');
    if (asset === undefined) requireAbsent('assetKey', assetKey, '"asset"');
    if (!isLocated && asset === undefined) return {};
    const workspaceId = requireOnlyWorkspace(workspaceIds, 'location, under or asset');
    const locations: RowKeys[][] = [];
    if (under !== undefined) locations.push(await this.rows.findSubtree(workspaceId, under, locationKey));
    if (location !== undefined) locations.push(await this.selectKey(workspaceId, 'location', location, locationKey));
    const filter: NoteRowFilter = { locations: [] };
    for (const rows of locations)
      filter.locations!.push({ rows, tagIds: await this.tags.listIdsAt(workspaceId, rows) });
    if (asset !== undefined) filter.asset = await this.selectKey(workspaceId, 'asset', asset, assetKey);
    return filter;
  }

  private async selectKey(workspaceId: string, entity: ReferredEntity, key: string, table?: string) {
    const found = await this.rows.lockByKey(workspaceId, entity, key, table);
    return found.map((row) => ({ tableId: row.tableId, keys: toArrayText([row.key]) }));
  }

  /** May the caller read a note at the location? */
  async isPermitted({ workspaceId, locationTableId: tableId, locationKey: key }: NoteLocation): Promise<boolean> {
    if (!this.isRestricted(workspaceId)) return true;
    if (tableId === null || key === null) return false;
    const isInside = () => this.findVisible(workspaceId, [{ id: key, location: { tableId, key } }]);
    return (await lookUpOnce(['permitted location', workspaceId, tableId, key], isInside)).has(key);
  }
}

/** @throws {InvalidRequestError} if there are several workspaces, or none. */
export function requireOnlyWorkspace(workspaceIds: readonly string[], parameter: string): string {
  const [workspaceId, ...others] = workspaceIds;
  if (workspaceId !== undefined && others.length === 0) return workspaceId;
  const message = `workspaceId is required with ${parameter}, because the caller does not have exactly one workspace.`;
  throw new InvalidRequestError([{ field: 'workspaceId', code: 'required', message }]);
}

/** A table without a row would select nothing. @throws {InvalidRequestError} */
function requireAbsent(field: string, table: string | undefined, rows: string): void {
  if (table === undefined) return;
  throw new InvalidRequestError([{ field, code: 'required', message: `"${field}" requires ${rows}.` }]);
}

/** The keys of the locations below which policies permit notes. */
function listRoots(workspaceId: string): string[] {
  return listCallerPolicies(workspaceId).flatMap(({ rules }) => (rules as PolicyRules).notes?.under ?? []);
}

function toMapKey({ tableId, key }: RowReference): string {
  return `${tableId} ${key}`;
}
