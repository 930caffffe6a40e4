import { IS_ATTACHED } from '../attachments/attachments.clauses.js';
import { isKnownTo } from '../users/users.clauses.js';

/** A fixed table of which rows belong to a workspace. */
export interface TransferTable {
  name: string;
  /** SQL condition on the row `t`. Default: `workspace_id` is that of the workspace. @param id SQL. */
  where?: (id: string) => string;
  /** Columns that are not exported: secrets, and those that get their defaults. */
  omit?: readonly string[];
  /** SQL expressions that are exported instead of columns. */
  replace?: Readonly<Record<string, string>>;
  /** A sequence of the service from which its column `id` is. */
  sequence?: string;
}

const isOwned = (id: string) => `t.workspace_id = ${id}`;

/** What an export contains, each table after those that it refers to. */
export const EXPORTED_TABLES: readonly TransferTable[] = [
  { name: 'workspaces', where: (id) => `t.id = ${id}`, omit: ['removal_due_at'] },
  { name: 'users', where: (id) => isKnownTo(id, 't.id') },
  { name: 'workspace_members' },
  { name: 'scim_groups' },
  { name: 'access_policies' },
  { name: 'workspace_tables' },
  { name: 'workspace_columns' },
  {
    // The service that imports them builds the indexes.
    name: 'column_indexes',
    where: (id) => `${isOwned(id)} AND t.state <> 'dropping'`,
    omit: ['message', 'token', 'due_at', 'failed_revision'],
    replace: { state: "'pending'" },
  },
  { name: 'former_table_names' },
  { name: 'table_revisions' },
  { name: 'table_imports' },
  { name: 'table_import_errors' },
  { name: 'table_batches' },
  { name: 'table_proposals' },
  { name: 'table_proposal_rows' },
  { name: 'legacy_tables' },
  { name: 'projects' },
  { name: 'tours' },
  { name: 'tags', sequence: 'tag_ids' },
  { name: 'note_counters' },
  { name: 'notes' },
  { name: 'note_messages' },
  { name: 'note_events' },
  { name: 'note_external_references' },
  {
    // The service that imports them makes the thumbnails.
    name: 'blobs',
    where: (id) => `${isOwned(id)} AND ${IS_ATTACHED}`,
    omit: ['preview_attempts'],
    replace: {
      preview: "CASE WHEN t.preview = 'ready' THEN 'pending' ELSE t.preview END",
      preview_due_at: "CASE WHEN t.preview IN ('pending', 'ready') THEN now() END",
    },
  },
  { name: 'attachments' },
  { name: 'stagings' },
  { name: 'staging_variations' },
  { name: 'event_counters' },
  { name: 'pending_events' },
  { name: 'events' },
  {
    name: 'subscriptions',
    omit: ['secret', 'previous_secret', 'previous_secret_until', 'failing_since'],
    replace: { status: "'disabled'", disabled_reason: "'operator'" },
  },
  { name: 'directory' },
  { name: 'auth_events' },
];

/** Rows that an export does not contain: secrets, deliveries, and what the service derives from other rows. */
export const OMITTED_TABLES = [
  'api_keys',
  'event_deliveries',
  'search_words',
  'search_entries',
  'search_positions',
  'search_indexes',
] as const;

/** The tables with a column `workspace_id`, each before those that it refers to. Persons belong to no workspace. */
export const OWNED_TABLES: readonly string[] = [
  ...OMITTED_TABLES,
  ...EXPORTED_TABLES.map(({ name }) => name)
    .filter((name) => name !== 'workspaces' && name !== 'users')
    .reverse(),
];

/** SQL condition on the row `t` of a table. @param id SQL. */
export function selectsRows({ where = isOwned }: TransferTable, id: string): string {
  return where(id);
}
