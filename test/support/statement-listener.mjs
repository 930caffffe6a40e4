import pg from 'pg';
import { findClusterViolations } from './cluster-rules.mjs';
import { findUnusedExceptions, findViolations } from './statement-rules.mjs';

/** Statements of the tests themselves have this role; all others are statements of the service. */
export const TEST_ROLE = 'tests';

/** PostgreSQL counts every statement by its normalized text, for about one microsecond each. */
export const LISTENER_SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': '50000',
  'pg_stat_statements.save': 'off',
};

export async function prepareListener(serverUrl) {
  await withClient(serverUrl, async (client) => {
    await client.query(`CREATE EXTENSION pg_stat_statements; CREATE ROLE ${TEST_ROLE} SUPERUSER`);
  });
}

/** @returns the statements of the run, and whether PostgreSQL has counted all of them. */
export async function readStatements(serverUrl) {
  return withClient(serverUrl, async (client) => {
    const { rows } = await client.query(
      `SELECT DISTINCT query FROM pg_stat_statements WHERE userid <> '${TEST_ROLE}'::regrole ORDER BY query`,
    );
    const { rows: info } = await client.query('SELECT dealloc::int AS omitted FROM pg_stat_statements_info');
    return { statements: rows.map(({ query }) => query), isComplete: info[0].omitted === 0 };
  });
}

/** The fixed tables whose rows belong to one workspace. */
async function readOwnedTables(templateUrl) {
  return withClient(templateUrl, async (client) => {
    const { rows } = await client.query(
      `SELECT table_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND column_name = 'workspace_id' AND is_nullable = 'NO'`,
    );
    return rows.map(({ name }) => name);
  });
}

async function withClient(connectionString, work) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A run of so many suites, such as that of CI, executes all statements. `npm test` has a hundred. */
const COMPLETE_RUN_SUITES = 130;

/** A reporter that fails a run with statements that could reach rows of another workspace (docs/how-to/testing.md). */
export default class StatementListener {
  async onRunComplete(_, { numTotalTestSuites }) {
    // A run without tests starts no PostgreSQL.
    if (!globalThis.atriumTestRun) return;
    try {
      const problems = await findProblems(numTotalTestSuites >= COMPLETE_RUN_SUITES);
      if (problems.length > 0) this.error = new Error(problems.join('\n\n'));
    } catch (error) {
      this.error = error;
    }
    // Standard output may contain the JSON report.
    if (this.error) process.stderr.write(`\n${this.error.message}\n`);
  }

  getLastError() {
    return this.error;
  }
}

async function findProblems(isCompleteRun) {
  const { TEST_DATABASE_URL: url, TEST_DATABASE_TEMPLATE: template } = process.env;
  const ownedTables = await readOwnedTables(url.replace(/\/atrium(?=\?|$)/, `/${template}`));
  const { statements, isComplete } = await readStatements(url);
  const problems = findViolations(statements, ownedTables).map(
    ({ problem, statement }) => `A statement ${problem}:\n${statement.slice(0, 1_000)}`,
  );
  for (const { problem, statement } of findClusterViolations(statements, ownedTables))
    problems.push(`A cluster would reject a statement, which ${problem}:\n${statement.slice(0, 1_000)}`);
  if (!isComplete) problems.push('PostgreSQL omitted statements: increase pg_stat_statements.max.');
  if (isCompleteRun)
    for (const { text } of findUnusedExceptions(statements))
      problems.push(`No statement needs the exception ${text}. Remove it from test/support/statement-rules.mjs.`);
  return problems;
}
