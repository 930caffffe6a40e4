import { isEqual } from '../../packages/sql/src/stored-json.js';
import type { ArchivableRecord } from './archivable-record.js';

/** The user who writes; null if no user does. */
export interface Actor {
  userId: string | null;
}

/** Values to store as a new record of the workspace, or to update an existing one with. */
export interface RecordInput<T> {
  workspaceId: string;
  values: Partial<T>;
}

/** What identifies a record. */
export type RecordKeys<T extends ArchivableRecord> = Pick<T, 'workspaceId' | 'id' | 'externalId'>;

export interface UpsertResult<T> {
  record: T;
  /** False if a record with the external ID existed. */
  created: boolean;
  /** Whether a value of an existing record changed. */
  changed: boolean;
}

/** The values that differ from those of the record. Undefined means "not sent" and is left out. */
export function pickChanges<T extends object>(record: T, values: Partial<T>): Partial<T> {
  const changes = Object.entries<unknown>(values as Record<string, unknown>).filter(
    ([name, value]) => value !== undefined && !isEqual(record[name as keyof T], value),
  );
  return Object.fromEntries(changes) as Partial<T>;
}

export function pickKeys<T extends ArchivableRecord>({ workspaceId, id, externalId }: T): RecordKeys<T> {
  return { workspaceId, id, externalId };
}

/** Identifies a record with an external ID. */
export function toExternalKey<T extends ArchivableRecord>({ workspaceId, values }: RecordInput<T>): string {
  return `${workspaceId} ${values.externalId ?? ''}`;
}

export function compareExternalIds(a: ArchivableRecord, b: ArchivableRecord): number {
  const [first, second] = [a.externalId ?? '', b.externalId ?? ''];
  return first < second ? -1 : Number(first > second);
}

/** Maps the records of each workspace together, and returns the results in the order of the records. */
export async function mapByWorkspace<T extends { workspaceId: string }, R>(
  records: readonly T[],
  map: (workspaceId: string, records: readonly T[]) => Promise<R[]>,
): Promise<R[]> {
  const results = new Map<T, R>();
  for (const workspaceId of new Set(records.map((record) => record.workspaceId))) {
    const own = records.filter((record) => record.workspaceId === workspaceId);
    const mapped = await map(workspaceId, own);
    own.forEach((record, index) => results.set(record, mapped[index]!));
  }
  return records.map((record) => results.get(record)!);
}
