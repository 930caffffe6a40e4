import { findUnrestricted } from './statement-scopes.mjs';

/** Definitions contain no rows. Migrations and the jobs that build indexes execute them. */
const DEFINITION = /^\s*(?:CREATE|ALTER|DROP|ANALYZE|LOCK)\b/i;

/** A definition that copies rows. */
const COPIED_ROWS = /\bAS\s*\(*\s*(?=(?:SELECT|WITH|TABLE)\b)/i;

/**
 * PostgreSQL may execute the subquery again for each row of the statement. It skips rows that it has changed, and locks
 * more than the limit.
 */
const LOCKING_SUBQUERY = /\bIN \( ?SELECT (?:(?!\bSELECT\b).)*\bLIMIT\b.*\bFOR UPDATE\b/i;

const SCHEMA = /\bws_([0-9a-f]{32})\b/g;

/**
 * Statements that use rows of several workspaces, by a part of their text. They return no content of a workspace to a
 * caller of another one.
 */
export const EXCEPTIONS = [
  {
    reason: 'The directory finds the workspace of an ID.',
    text: /^SELECT workspace_id AS "workspaceId" FROM directory/,
  },
  { reason: 'An API key is found by its hash, and it determines the workspace.', text: /FROM api_keys k JOIN users u/ },
  { reason: 'A rejected API key is found by its hash.', text: /FROM api_keys WHERE hmac = \$1$/ },
  { reason: 'The use of an API key is recorded.', text: /^UPDATE api_keys k SET last_used_at/ },
  { reason: 'The start checks whether the pepper is that of the credentials.', text: /AS "haveOtherPepper"/ },
  {
    reason: 'Operators list API keys of all workspaces, and find them by their ID.',
    text: /"api_keys" "ApiKey" WHERE \(\("ApiKey"\."(?:id|former_of)"/,
  },
  {
    reason: 'Operators find subscriptions of all workspaces by their ID.',
    text: /^SELECT "Subscription"\."version".* FROM "subscriptions" "Subscription" WHERE \(\("Subscription"\."id" = \$1\)\)/,
  },
  {
    reason: 'Operators list the subscriptions of all workspaces.',
    text: /FROM subscriptions s WHERE \$1::uuid IS NULL OR s\.workspace_id = \$1 ORDER BY/,
  },
  {
    reason: 'The memberships of a user determine the workspaces of a caller.',
    text: /FROM workspace_members m WHERE m\.user_id = (?:[sf]\.user_id|\$1 AND m\.archived_at IS NULL AND m\.(?:status|accepted_at))/,
  },
  {
    reason: 'The operator deletes a user with all memberships and API keys.',
    text: /^DELETE FROM (?:api_keys|"workspace_members") WHERE \(?"?user_id"? (?:=|IN) /,
  },
  {
    reason: 'Users list their own memberships, operators all.',
    text: /^SELECT "Membership"\."version".* FROM "workspace_members" "Membership" WHERE \(\((?:"Membership"\."user_id" = \$\d+|"Membership"\."archived_at" IS NULL|\$1=\$2)\)/,
  },
  {
    reason: 'The memberships of a user determine the workspaces of a caller.',
    text: /FROM workspace_members m JOIN workspaces w ON w\.id = m\.workspace_id AND w\.removal_due_at IS NULL WHERE m\.user_id = \$1/,
  },
  {
    reason: 'Background jobs find work of all workspaces (`Database.queryAllWorkspaces`).',
    text: /\/\* of all workspaces \*\//,
  },
  { reason: 'Cleanup jobs remove old rows of all workspaces.', text: /^WITH old AS MATERIALIZED \(/ },
  {
    reason: 'A cleanup job removes files without attachment.',
    text: /FROM blobs b WHERE NOT EXISTS \(SELECT \S+ FROM attachments/,
  },
  {
    reason: 'The metrics contain the ages of the oldest job and of the oldest deliveries.',
    text: /^SELECT ARRAY\[.*AS ages$|AS "overdueS" FROM event_deliveries/,
  },
];

/**
 * The statements that could reach rows of another workspace: a workspace-owned table without a condition on its
 * `workspace_id`, or the schemas of two workspaces.
 *
 * @param statements as `pg_stat_statements` returns them.
 * @param ownedTables names of the fixed tables whose rows belong to one workspace.
 * @returns {{ problem: string, statement: string }[]}
 */
export function findViolations(statements, ownedTables) {
  const owned = new Set(ownedTables);
  return statements
    .map(normalize)
    .map((statement) => ({ statement, problem: findProblem(statement, owned) }))
    .filter(({ problem }) => problem !== undefined);
}

/** The exceptions that no statement of a complete run needs. */
export function findUnusedExceptions(statements) {
  const normalized = statements.map(normalize);
  return EXCEPTIONS.filter(({ text }) => !normalized.some((statement) => text.test(statement)));
}

const normalize = (statement) => statement.replace(/\s+/g, ' ').trim();

function findProblem(statement, owned) {
  const schemas = new Set([...statement.matchAll(SCHEMA)].map(([, id]) => id));
  if (schemas.size > 1) return 'uses the schemas of several workspaces';
  if (LOCKING_SUBQUERY.test(statement))
    return 'locks rows in a subquery of a condition, which may exceed its LIMIT. Write it as a MATERIALIZED CTE';
  const isDefinition = DEFINITION.test(statement);
  const copied = isDefinition ? statement.search(COPIED_ROWS) : 0;
  if (copied < 0 || EXCEPTIONS.some(({ text }) => text.test(statement))) return undefined;
  const tables = findUnrestricted(isDefinition ? statement.slice(copied + 2) : statement, owned);
  return tables.length > 0 ? `uses rows of all workspaces in ${tables.join(', ')}` : undefined;
}
