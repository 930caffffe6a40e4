import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findClusterViolations } from '../support/cluster-rules.mjs';
import { expectNone } from '../support/for-each.js';

const TABLE = 'ws_0123456789abcdef0123456789abcdef.t_0123';
const problems = (statement: string): string[] =>
  findClusterViolations([statement], ['notes', 'tags', 'api_keys']).map(({ problem }) => problem);

describe('a statement that a cluster rejects', () => {
  it.each([
    ['SELECT EXISTS (SELECT FROM notes WHERE workspace_id = $1)', 'has a subquery without columns'],
    ['UPDATE notes SET updated_at = clock_timestamp() WHERE workspace_id = $1', 'calls a volatile function in UPDATE'],
    [`UPDATE ${TABLE} w SET c1 = gen_random_uuid()`, 'calls a volatile function in UPDATE'],
    [
      "UPDATE notes n SET state = CASE n.state WHEN 'a' THEN 'b' ELSE n.state END WHERE workspace_id = $1",
      'has CASE with an operand in UPDATE',
    ],
    [
      'UPDATE notes SET due_at = CASE WHEN token IS NULL THEN now() ELSE due_at END WHERE workspace_id = $1',
      'calls a function that reads the clock in CASE or coalesce of UPDATE',
    ],
    [
      'INSERT INTO notes (workspace_id) VALUES ($1) ON CONFLICT (workspace_id) DO UPDATE SET updated_at = now()',
      'calls a function that reads the clock in ON CONFLICT',
    ],
  ])('fails the run: %s', (statement, problem) => {
    expect(problems(statement)).toEqual([problem]);
  });

  it.each([
    'UPDATE notes SET updated_at = statement_timestamp() WHERE workspace_id = $1',
    'UPDATE users SET last_login_at = clock_timestamp() WHERE id = $1',
    'UPDATE api_keys SET id = gen_random_uuid() WHERE workspace_id = $1',
    "UPDATE notes SET state = CASE WHEN state = 'a' THEN 'b' ELSE state END WHERE workspace_id = $1",
    'WITH n AS (UPDATE notes SET title = $2 WHERE workspace_id = $1 RETURNING id) INSERT INTO tags SELECT $1, gen_random_uuid() FROM n',
    'INSERT INTO notes (workspace_id) VALUES ($1) ON CONFLICT (workspace_id) DO UPDATE SET updated_at = excluded.updated_at',
  ])('is not: %s', (statement) => {
    expect(problems(statement)).toEqual([]);
  });
});

it('no SQL of the source has a subquery without columns, also that of jobs which no test executes', () => {
  const files = ['src', 'packages/sql', 'packages/tables']
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'));
  expect(files.length).toBeGreaterThan(500);
  expectNone(
    files.filter((name) => /\bSELECT\s+FROM\b/.test(readFileSync(name, 'utf8'))),
    'Write SELECT 1 FROM: a cluster rejects a subquery without columns.',
  );
});
