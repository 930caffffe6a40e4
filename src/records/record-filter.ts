import type { Database } from '../platform/database/database.js';
import type { ArchivableRecord } from './archivable-record.js';
import { refersToRow, type RowKeys } from './row-references.js';

/** Restricts statistics to some records of one workspace. Properties are those of the counted entity. */
export interface RecordFilter {
  workspaceId: string;
  /** Required values by property: `{ projectId: '0190a6de-…' }`. */
  equal?: Readonly<Record<string, string>>;
  /** The location must be one of the rows of each list. */
  locations?: readonly (readonly RowKeys[])[];
  /** Accepts records whose `property` is the `reference` of a record in use that matches its own filter. */
  referencedBy?: { property: string; entity: new () => ArchivableRecord; reference: string; filter: RecordFilter };
}

/** The filter as a condition on the table of the entity. Appends its values to the parameters of the statement. */
export function buildFilterCondition(
  database: Database,
  entity: new () => object,
  { workspaceId, equal = {}, locations = [], referencedBy }: RecordFilter,
  parameters: unknown[],
): string {
  const { metadata } = database.repository(entity);
  const column = (property: string) => metadata.findColumnWithPropertyName(property)!;
  const conditions = Object.entries({ workspaceId, ...equal }).map(
    ([property, value]) => `${column(property).databaseName} = $${parameters.push(value)}`,
  );
  for (const rows of locations) conditions.push(refersToRow('location', rows, (value) => `$${parameters.push(value)}`));
  if (referencedBy) {
    const { property, entity: other, reference, filter } = referencedBy;
    const { metadata: table } = database.repository(other);
    const { databaseName } = table.findColumnWithPropertyName(reference)!;
    conditions.push(
      `${column(property).databaseName} IN (SELECT ${databaseName} FROM ${table.tableName}
        WHERE ${buildFilterCondition(database, other, filter, parameters)} AND archived_at IS NULL)`,
    );
  }
  return conditions.join(' AND ');
}
