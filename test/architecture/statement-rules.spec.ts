import { findViolations } from '../support/statement-rules.mjs';

const WORKSPACE = 'ws_0123456789abcdef0123456789abcdef';
const problems = (statement: string): number => findViolations([statement], ['notes', 'tags', 'api_keys']).length;

describe('a statement on a table of workspaces', () => {
  it.each([
    'SELECT * FROM notes WHERE id = $1',
    'SELECT workspace_id, id FROM notes WHERE id = $1',
    'SELECT "n"."workspace_id" AS "n_workspace_id" FROM "notes" "n" WHERE "n"."id" = $1',
    'SELECT n.id FROM notes n JOIN tags t ON t.id = n.tag_id WHERE n.workspace_id = $1',
    'UPDATE notes SET title = $1\n WHERE id = $2',
    'DELETE FROM notes',
    'INSERT INTO notes (id, title) VALUES ($1, $2)',
    'WITH one AS (SELECT * FROM tags WHERE workspace_id = $1) DELETE FROM notes USING one WHERE one.id = notes.tag_id',
    'DELETE FROM api_keys',
    // A renderer claims a job of one workspace, unlike background jobs that skip locked rows.
    'WITH a AS (SELECT id FROM tags WHERE workspace_id = $1 FOR UPDATE SKIP LOCKED), oldest AS (SELECT id FROM notes) SELECT id FROM oldest',
    'SELECT n.id FROM notes n JOIN tags t ON t.workspace_id = n.workspace_id AND t.id = n.tag_id WHERE n.id = $1',
    'SELECT n.id FROM notes n JOIN tags t USING (workspace_id, id) WHERE n.id = $1',
    'SELECT n.id FROM notes n LEFT JOIN tags t ON t.id = n.tag_id AND n.workspace_id = $2 WHERE n.workspace_id = $1',
    'SELECT n.id FROM notes n, tags t WHERE n.workspace_id = $1 AND t.id = n.tag_id',
    'SELECT n.id FROM notes n JOIN workspaces w ON w.id = n.workspace_id WHERE n.id = $1',
    'SELECT workspace_id = $1 AS own FROM notes WHERE id = $2',
    'SELECT id FROM notes WHERE id = $1 ORDER BY workspace_id = $2',
    'UPDATE notes SET workspace_id = $1 WHERE id = $2',
    'UPDATE notes SET title = (SELECT name FROM tags WHERE workspace_id = $1) WHERE id = $2',
    'SELECT * FROM notes WHERE workspace_id = $1 OR id = $2',
    'SELECT * FROM notes n WHERE n.workspace_id = $1 OR n.workspace_id IN (SELECT t.workspace_id FROM tags t)',
    'SELECT * FROM notes WHERE NOT workspace_id = $1',
    'SELECT * FROM notes WHERE workspace_id <> $1',
    'SELECT * FROM notes n WHERE n.workspace_id = n.workspace_id',
    'SELECT * FROM notes WHERE (workspace_id, id) > ($1, $2)',
    'SELECT count(*) FROM users u WHERE EXISTS (SELECT FROM notes n WHERE n.user_id = u.id)',
    'SELECT * FROM users WHERE id = $1 UNION ALL SELECT * FROM public.notes WHERE id = $1',
    'INSERT INTO users (id) SELECT author_id FROM notes WHERE id = $1',
    'CREATE TEMPORARY TABLE copied AS SELECT * FROM notes',
    'COPY (SELECT * FROM notes WHERE id = 1) TO STDOUT',
    'COPY notes TO STDOUT',
    'TRUNCATE notes',
    'TABLE notes',
    `SELECT * FROM ${WORKSPACE}.t_1 JOIN ${WORKSPACE.replace('0', 'f')}.t_2 USING (c1)`,
  ])('fails the run without a condition on the workspace: %s', (statement) => {
    expect(problems(statement)).toBe(1);
  });

  it.each([
    'UPDATE notes SET title = $2 WHERE workspace_id = $1 AND id IN (SELECT id FROM notes WHERE workspace_id = $1 LIMIT $3 FOR UPDATE SKIP LOCKED)',
    'DELETE FROM users WHERE id IN ( SELECT id FROM users ORDER BY at LIMIT (SELECT max(x) FROM y) FOR UPDATE)',
  ])('fails the run if it locks rows in a subquery of a condition: %s', (statement) => {
    expect(problems(statement)).toBe(1);
  });

  it.each([
    'WITH due AS MATERIALIZED (SELECT id FROM users ORDER BY at LIMIT $1 FOR UPDATE SKIP LOCKED) DELETE FROM users u USING due WHERE u.id = due.id',
    'SELECT * FROM notes WHERE workspace_id = $1 AND id = $2',
    'SELECT "n"."id" FROM "notes" "n" WHERE "n"."workspace_id" IN ($1, $2)',
    'SELECT n.id FROM notes n JOIN tags t ON t.workspace_id = n.workspace_id AND t.id = n.tag_id WHERE n.workspace_id = $1',
    'UPDATE notes SET title = $1 WHERE (workspace_id, id) IN ($2, $3)',
    'INSERT INTO notes (workspace_id, id) VALUES ($1, $2)',
    'CREATE TABLE notes (workspace_id uuid)',
    'UPDATE notes n SET title = t.name FROM tags t WHERE n.workspace_id = $1 AND t.workspace_id = n.workspace_id',
    'SELECT * FROM notes WHERE (workspace_id = $1 AND id = $2) OR (workspace_id = $1 AND id = $3)',
    'SELECT n.id FROM notes n JOIN tags t USING (workspace_id, id) WHERE n.workspace_id = ANY($1)',
    'SELECT n.id FROM notes n JOIN workspaces w ON w.id = n.workspace_id WHERE w.id = $1',
    'SELECT (SELECT count(*) FROM tags t WHERE t.workspace_id = n.workspace_id) FROM notes n WHERE n.workspace_id = $1',
    'WITH own AS MATERIALIZED (SELECT * FROM tags WHERE workspace_id = $1) DELETE FROM notes n USING own WHERE n.workspace_id = own.workspace_id',
    'UPDATE notes n SET title = v.title FROM unnest($1::uuid[], $2::text[]) AS v (id, title) WHERE n.workspace_id = $3 AND n.id = v.id',
    'INSERT INTO notes (workspace_id, id) VALUES ($1, $2) ON CONFLICT (workspace_id, id) DO UPDATE SET title = $3',
    'SELECT * FROM users WHERE id = $1',
    `SELECT * FROM ${WORKSPACE}.t_1 JOIN ${WORKSPACE}.t_2 USING (c1)`,
  ])('is accepted with one: %s', (statement) => {
    expect(problems(statement)).toBe(0);
  });
});
