import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import type { ReferencedTables } from '../catalog/referenced-tables.js';
import { cellsToJson } from '../catalog/row-sql.js';
import { DAY_LENGTH } from './filter-expression.js';

/** A member of the JSON object of a row, as another module asks for it. */
export interface SentMember {
  /** Letters, digits and underscores of ASCII. */
  name: string;
  /** The key of the column. */
  key: string;
  /** Only the day of a date? */
  isDay?: boolean;
  /** Instead of the value of the reference column, these members of the row that it names; null if there is none. */
  members?: readonly SentMember[];
}

/** A member of the JSON object of a row. */
export interface RowMember {
  name: string;
  column: CatalogColumn;
  isDay: boolean;
  /** Instead of the value: the row that it names. The table is undefined if it does not exist for the caller. */
  row: { table: CatalogTable | undefined; members: readonly RowMember[] } | undefined;
}

/** The paths that lead to the rows which references name. */
export function listMemberPaths(members: readonly SentMember[] = []): string[] {
  return members.flatMap(({ key, members: [first] = [] }) => (first ? [`${key}.${first.key}`] : []));
}

/** A column that was dropped since the caller read the definition is omitted. */
export function resolveMembers(
  table: CatalogTable,
  sent: readonly SentMember[],
  referenced: ReferencedTables,
): RowMember[] {
  return sent.flatMap(({ name, key, isDay = false, members }) => {
    const column = table.columns.find((each) => each.key === key);
    if (!column) return [];
    const [target] = members ? referenced.list(table, column) : [];
    const row = members && { table: target, members: target ? resolveMembers(target, members, referenced) : [] };
    return [{ name, column, isDay, row }];
  });
}

/** Characters of an identifier of PostgreSQL. */
const MAX_IDENTIFIER_LENGTH = 63;

/** The members of the row as a JSON object. Those with a longer name than an identifier may have are at its end. */
export function membersToJson(members: readonly RowMember[], alias = 't'): string {
  const isShort = ({ name }: RowMember) => name.length <= MAX_IDENTIFIER_LENGTH;
  const cells = members.filter(isShort).map((member) => `${compileMember(member, alias)} AS "${member.name}"`);
  const long = members.filter((member) => !isShort(member));
  if (long.length === 0) return cellsToJson(cells);
  const texts = long.map(
    (member) => `'"${member.name}":' || coalesce(to_json(${compileMember(member, alias)})::text, 'null')`,
  );
  const start = cells.length > 0 ? `left(${cellsToJson(cells)}::text, -1) || ','` : `'{'`;
  return `(${start} || ${texts.join(` || ',' || `)} || '}')::json`;
}

/** `OFFSET 0` as in `rowByKey`. */
function compileMember({ column, isDay, row }: RowMember, alias: string): string {
  const name = `${alias}.${physicalColumnName(column)}`;
  if (!row) return isDay ? `left(${name}, ${DAY_LENGTH})` : name;
  if (!row.table) return 'NULL::json';
  const named = `${alias}r`;
  const key = `${named}.${physicalKeyName(row.table)}`;
  return `(SELECT ${membersToJson(row.members, named)} FROM ${physicalTableName(row.table)} ${named} WHERE ${key} = ${name} OFFSET 0)`;
}
