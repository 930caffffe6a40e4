import type { CatalogTable } from './catalog-table.js';
import type { CatalogColumn } from './column-plan.js';
import {
  formerRowsName,
  NEVER,
  physicalColumnName,
  physicalColumnNames,
  physicalKeyName,
  physicalTableName,
  storedTableName,
} from './physical-table.js';

/**
 * The current and the former rows of a table, as a relation. A version was current from `_from` until `_until`; that of
 * a current row ends at `NEVER`. `_renamed_to` is the key that the row received at the end.
 */
export function selectVersions(table: Pick<CatalogTable, 'workspaceId' | 'id' | 'columns'>): string {
  const names = physicalColumnNames(table).join(', ');
  return `(SELECT ${names}, ${NEVER} AS _ended_revision, NULL::text COLLATE "C" AS _renamed_to, _revision AS _from, ${NEVER} AS _until
             FROM ${storedTableName(table)}
           UNION ALL SELECT ${names}, _ended_revision, _renamed_to, _revision, _ended_revision FROM ${formerRowsName(table)})`;
}

/** A part of the versions of a table, by conditions on a version `t` and by the subtree that contains its row. */
export interface VersionLimit {
  conditions: readonly string[];
  under?: { parent: CatalogColumn; /** SQL: the key of the row at the top. */ root: string };
}

/**
 * The versions of `relation`, from and until the revisions between which their rows are in the part. A version that
 * enters the subtree several times, because rows above it move, is returned once for each time.
 */
export function limitVersions(table: CatalogTable, relation: string, { conditions, under }: VersionLimit): string {
  const names = [...physicalColumnNames(table), '_ended_revision', '_renamed_to'].map((name) => `t.${name}`);
  if (!under) return `(SELECT t.* FROM ${relation} t WHERE ${['true', ...conditions].join(' AND ')})`;
  const from = 'greatest(t._from, walk.since)';
  const until = 'least(t._until, walk.until)';
  return `(SELECT ${names.join(', ')}, ${from} AS _from, ${until} AS _until
             FROM ${relation} t CROSS JOIN LATERAL ${walkUp(table, under.parent, under.root)} walk
            WHERE ${[`${from} < ${until}`, ...conditions].join(' AND ')})`;
}

/** The revisions between which the version `t` is in the subtree: the rows above it are looked up as of then. */
function walkUp(table: CatalogTable, parent: CatalogColumn, root: string): string {
  const key = physicalKeyName(table);
  const above = physicalColumnName(parent);
  const versions = `SELECT * FROM ${selectVersions(table)} v
                     WHERE v.${key} = up.parent AND v._from < up.until AND v._until > up.since OFFSET 0`;
  return `(SELECT lower(s) AS since, upper(s) AS until FROM unnest((
             WITH RECURSIVE up (key, parent, since, until) AS (
               SELECT t.${key}, t.${above}, t._revision, t._ended_revision
               UNION
               SELECT v.${key}, v.${above}, greatest(up.since, v._from), least(up.until, v._until)
                 FROM up CROSS JOIN LATERAL (${versions}) v WHERE up.key <> ${root})
             SELECT range_agg(int8range(since, until)) FROM up WHERE key = ${root})) s)`;
}

/** A table at two moments, with the rows and columns that the caller can read. */
export interface TwoMoments {
  before: CatalogTable;
  /** It may be the table as it is now. */
  after: CatalogTable;
}

/**
 * A query for the keys of the rows that began or ended between two moments. With an access policy that depends on other
 * rows, also the keys of the rows that have entered or left the permitted part.
 */
export function selectTouchedKeys({ before, after }: TwoMoments): string {
  const key = physicalKeyName(before);
  const { revision: since } = before;
  const { revision: until } = after;
  const touched = `SELECT ${key} AS key FROM ${storedTableName(before)} WHERE _revision > ${since} AND _revision <= ${until}
           UNION SELECT ${key} FROM ${formerRowsName(before)}
                  WHERE _ended_revision > ${since} AND (_ended_revision <= ${until} OR _revision > ${since} AND _revision <= ${until})`;
  if (since === until || !before.permission?.rows?.dependsOnOthers) return touched;
  const permitted = (table: CatalogTable) => `SELECT ${key} FROM ${physicalTableName(table)} r`;
  const except = (one: CatalogTable, other: CatalogTable) => `(${permitted(one)} EXCEPT ${permitted(other)})`;
  return [touched, except(before, after), except(after, before)].join(' UNION ');
}

/**
 * A query for the differences between two moments in the order of the keys, as `DifferenceLines` reads it: the change,
 * the key, and for each other column the value before and after.
 */
export function selectDifferences({ before, after }: TwoMoments): string {
  const key = physicalKeyName(before);
  const names = before.columns.filter(({ primaryKey }) => !primaryKey).map(physicalColumnName);
  const values = names.flatMap((name) => [`b.${name}`, `a.${name}`]);
  const changed = names.map((name) => `b.${name} IS DISTINCT FROM a.${name}`);
  const rows = (table: CatalogTable) =>
    `(SELECT r.* FROM touched JOIN ${physicalTableName(table)} r ON r.${key} = touched.key)`;
  return `
    WITH touched AS MATERIALIZED (${selectTouchedKeys({ before, after })})
    SELECT CASE WHEN b.${key} IS NULL THEN 'create' WHEN a.${key} IS NULL THEN 'delete' ELSE 'update' END,
           ${[`coalesce(b.${key}, a.${key})`, ...values].join(', ')}
      FROM ${rows(before)} b FULL JOIN ${rows(after)} a ON a.${key} = b.${key}
     WHERE ${[`b.${key} IS NULL`, `a.${key} IS NULL`, ...changed].join(' OR ')}
     ORDER BY 2`;
}
