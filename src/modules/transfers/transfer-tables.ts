import { IS_ATTACHED } from '../attachments/attachments.clauses.js';
import { isKnownTo } from '../users/users.clauses.js';

/** How the transfer of a fixed table differs from that of most tables. */
interface Difference {
  /** SQL condition on the row `t`. Default: `workspace_id` is that of the workspace. @param id SQL. */
  where?: (id: string) => string;
  /** Columns that are neither exported nor imported: secrets, and those that get their defaults. */
  omit?: readonly string[];
  /** SQL expressions of the row `t` that are exported, and imported, instead of columns. */
  replace?: Readonly<Record<string, string>>;
  /** A sequence of the service from which its column `id` is. */
  sequence?: string;
  /** Are its rows secrets, deliveries, or what the service derives from other rows? */
  isOmitted?: true;
}

/** A fixed table of which rows belong to a workspace. */
export interface TransferTable extends Difference {
  name: string;
}

const isOwned = (id: string) => `t.workspace_id = ${id}`;

/** Of tables that are not named here, all rows with the `workspace_id` are exported as they are. */
export const DIFFERENCES: ReadonlyMap<string, Difference> = new Map<string, Difference>(
  Object.entries<Difference>({
    workspaces: { where: (id) => `t.id = ${id}`, omit: ['removal_due_at'] },
    users: { where: (id) => isKnownTo(id, 't.id') },
    api_keys: { isOmitted: true },
    // The service that imports them makes the thumbnails.
    blobs: {
      where: (id) => `${isOwned(id)} AND ${IS_ATTACHED}`,
      omit: ['preview_attempts'],
      replace: {
        preview: "CASE WHEN t.preview = 'ready' THEN 'pending' ELSE t.preview END",
        preview_due_at: "CASE WHEN t.preview IN ('pending', 'ready') THEN now() END",
      },
    },
    // The service that imports them builds the indexes.
    column_indexes: {
      where: (id) => `${isOwned(id)} AND t.state <> 'dropping'`,
      omit: ['message', 'token', 'due_at', 'failed_revision'],
      replace: { state: "'pending'" },
    },
    event_deliveries: { isOmitted: true },
    search_entries: { isOmitted: true },
    search_indexes: { isOmitted: true },
    search_positions: { isOmitted: true },
    search_words: { isOmitted: true },
    subscriptions: {
      omit: ['secret', 'previous_secret', 'previous_secret_until', 'failing_since'],
      replace: { status: "'disabled'", disabled_reason: "'operator'" },
    },
    tags: { sequence: 'tag_ids' },
  }),
);

/** The IDs of persons are replaced in all rows that follow. */
const FIRST = ['workspaces', 'users'];

/** @returns all tables, each after those that it refers to. */
export function orderTables(tables: readonly { name: string; references: readonly string[] }[]): TransferTable[] {
  const ordered = [...FIRST];
  const names = new Set(tables.map(({ name }) => name));
  const left = tables.filter(({ name }) => !FIRST.includes(name));
  const isReady = (name: string) => ordered.includes(name) || !names.has(name);
  while (left.length > 0) {
    const at = left.findIndex(({ references }) => references.every(isReady));
    if (at < 0) throw new Error(`Tables refer to each other: ${left.map(({ name }) => name).join(', ')}`);
    ordered.push(...left.splice(at, 1).map(({ name }) => name));
  }
  return ordered.map((name) => ({ name, ...DIFFERENCES.get(name) }));
}

/** SQL condition on the row `t` of a table. @param id SQL. */
export function selectsRows({ where = isOwned }: TransferTable, id: string): string {
  return where(id);
}
