import { v7 as uuid } from 'uuid';
import type { Database } from '../platform/database/database.js';
import type { Directory } from '../platform/database/directory.js';
import type { KeptRecord } from './kept-record.js';
import type { RecordKind } from './record-kind.js';
import type { Author, Draft } from './draft.js';

/** Stores new records, which the directory knows from then on; with all that the database sets by itself. */
export async function insertRecords<T extends KeptRecord>(
  database: Database,
  directory: Directory,
  kind: RecordKind<T>,
  drafts: readonly Draft<T>[],
  { userId }: Author,
): Promise<T[]> {
  if (drafts.length === 0) return [];
  const { manager } = database;
  const ids: (string | number)[] = (await kind.newIds?.(drafts.length)) ?? drafts.map(() => uuid());
  const records = drafts.map(({ workspaceId, values }, at) =>
    manager.create(kind.entity, {
      ...values,
      workspaceId,
      id: ids[at],
      createdBy: userId,
      updatedBy: userId,
    } as never),
  );
  for (const workspaceId of new Set(drafts.map((draft) => draft.workspaceId))) {
    const own = records.filter((record) => record.workspaceId === workspaceId);
    await directory.add(
      kind.kind,
      workspaceId,
      own.map(({ id }) => id),
    );
  }
  // Without a SELECT before it, and with what the database sets by itself read back.
  await manager
    .createQueryBuilder()
    .insert()
    .into(kind.entity)
    .values(records as never)
    .execute();
  const { columns } = manager.dataSource.getMetadata(kind.entity);
  for (const record of records as Record<string, unknown>[])
    for (const { propertyName } of columns) record[propertyName] ??= null;
  return records;
}
