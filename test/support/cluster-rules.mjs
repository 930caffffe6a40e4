/** Tables with a workspace that remain on the coordinator, because they refer to users. */
const LOCAL = ['api_keys', 'workspace_members'];

const UPDATE = String.raw`\bUPDATE (?:ONLY )?"?(?:TABLES|ws_[0-9a-f]{32}\.t_\w+)"?(?: AS)? (?:(?!\b(?:RETURNING|SELECT|INSERT|DELETE)\b).)*?`;

/** What a cluster (Citus) rejects in statements on tables that are distributed by workspace (ADR 0074). */
const RULES = [
  { problem: 'has a subquery without columns', text: String.raw`\bSELECT FROM\b` },
  {
    problem: 'calls a volatile function in UPDATE',
    text: String.raw`${UPDATE}\b(?:clock_timestamp|gen_random_uuid|random)\(`,
  },
  { problem: 'has CASE with an operand in UPDATE', text: String.raw`${UPDATE}\bCASE (?!WHEN\b)` },
  {
    problem: 'calls a function that reads the clock in CASE or coalesce of UPDATE',
    text: String.raw`${UPDATE}\b(?:CASE WHEN|coalesce\()(?:(?!\b(?:END|FROM)\b|\)).)*\b(?:now|statement_timestamp)\(`,
  },
  {
    problem: 'calls a function that reads the clock in ON CONFLICT',
    text: String.raw`\bINSERT INTO "?(?:TABLES)"?\b.*\bDO UPDATE SET (?:(?!\b(?:RETURNING|SELECT|INSERT)\b).)*\b(?:now|clock_timestamp|statement_timestamp)\(`,
  },
];

/**
 * The statements that a cluster would reject. Statements that a service on a cluster does not execute are not known
 * here: those that join fixed tables with tables of a workspace, and those that lock rows of several workspaces.
 *
 * @param statements as `pg_stat_statements` returns them.
 * @param ownedTables names of the fixed tables whose rows belong to one workspace.
 * @returns {{ problem: string, statement: string }[]}
 */
export function findClusterViolations(statements, ownedTables) {
  const names = ownedTables.filter((name) => !LOCAL.includes(name)).join('|');
  const rules = RULES.map(({ problem, text }) => ({
    problem,
    pattern: new RegExp(text.replaceAll('TABLES', names), 'i'),
  }));
  return statements
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .flatMap((statement) =>
      rules.filter(({ pattern }) => pattern.test(statement)).map(({ problem }) => ({ problem, statement })),
    );
}
