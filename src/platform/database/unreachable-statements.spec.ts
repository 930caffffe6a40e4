import { type SentStatement, UnreachableStatements } from './unreachable-statements.js';

const LOST = '0a1b2c3d-0000-4000-8000-000000000001';
const SERVED = '0a1b2c3d-0000-4000-8000-000000000002';
const OTHER = '0a1b2c3d-0000-4000-8000-000000000003';
const LOST_SCHEMA = `ws_${LOST.replaceAll('-', '')}`;
const SERVED_SCHEMA = `ws_${SERVED.replaceAll('-', '')}`;
const RESTRICTION = `'{${SERVED}}'::uuid[]`;

const PARTS = {
  tables: ['notes', 'workspace_tables'],
  reachable: new Set([SERVED]),
  unreachable: new Set([LOST]),
  schemas: new Set([LOST_SCHEMA]),
  hasMetadata: true,
  restriction: RESTRICTION,
};
const statements = new UnreachableStatements(PARTS);

describe('UnreachableStatements', () => {
  it.each<[string, SentStatement]>([
    ['fixed rows of a workspace', { text: 'SELECT 1 FROM notes WHERE workspace_id = $1', values: [LOST] }],
    [
      'fixed rows of several workspaces',
      { text: 'SELECT 1 FROM notes WHERE workspace_id = ANY ($1)', values: [[SERVED, LOST]] },
    ],
    [
      'fixed rows of a workspace in the text',
      { text: `COPY (SELECT 1 FROM notes WHERE workspace_id = '${LOST}') TO STDOUT` },
    ],
    ['fixed rows of all workspaces', { text: 'SELECT 1 FROM notes WHERE id = $1', values: [OTHER] }],
    ['rows of a workspace', { text: `SELECT 1 FROM ${LOST_SCHEMA}.t1` }],
    ['a new workspace', { text: 'INSERT INTO "workspaces"("id", "name") VALUES ($1, $2)', values: [OTHER, 'x'] }],
    [
      'a change of a workspace',
      { text: 'UPDATE "workspaces" SET "name" = $1 WHERE "id" IN ($2)', values: ['x', SERVED] },
    ],
    [
      'a lock of a workspace',
      { text: 'SELECT 1 FROM "workspaces" "Workspace"\nWHERE "id" = $1 FOR UPDATE', values: [SERVED] },
    ],
    ['a new table', { text: `CREATE TABLE ${SERVED_SCHEMA}.t2 (key text)` }],
    ['a new column', { text: `ALTER TABLE ${SERVED_SCHEMA}.t1 ADD COLUMN a text` }],
  ])('includes %s', (_, statement) => {
    expect(statements.includes(statement)).toBe(true);
    expect(statements.mayInclude(statement)).toBe(true);
  });

  it.each<[string, SentStatement]>([
    [
      'fixed rows of a reachable workspace',
      { text: 'SELECT 1 FROM notes WHERE workspace_id = $1 AND id = $2', values: [SERVED, OTHER] },
    ],
    ['restricted fixed rows', { text: `SELECT 1 FROM notes WHERE workspace_id = ANY (${RESTRICTION})` }],
    ['rows of a reachable workspace', { text: `SELECT 1 FROM ${SERVED_SCHEMA}.t1` }],
    ['tables of the coordinator', { text: 'SELECT 1 FROM audit WHERE workspace_id = $1', values: [LOST] }],
    ['the list of workspaces', { text: 'SELECT name FROM "workspaces" WHERE id = $1', values: [LOST] }],
    ['a table of an import', { text: `CREATE UNLOGGED TABLE ${SERVED_SCHEMA}.staging (key text)` }],
  ])('does not include %s', (_, statement) => {
    expect(statements.includes(statement)).toBe(false);
    expect(statements.mayInclude(statement)).toBe(false);
  });

  it.each(['COMMIT', 'ROLLBACK', ''])(
    'may include the end of a transaction ("%s"), which names no workspace',
    (text) => {
      expect(statements.includes({ text })).toBe(false);
      expect(statements.mayInclude({ text })).toBe(true);
    },
  );

  it('includes no new table if the definitions are not stored on the unreachable nodes', () => {
    const withoutMetadata = new UnreachableStatements({ ...PARTS, hasMetadata: false });
    expect(withoutMetadata.includes({ text: `CREATE TABLE ${SERVED_SCHEMA}.t2 (key text)` })).toBe(false);
    expect(withoutMetadata.includes({ text: `CREATE TABLE ${LOST_SCHEMA}.t2 (key text)` })).toBe(true);
  });

  it('includes fixed rows of all workspaces if no node is reachable', () => {
    const none = new UnreachableStatements({ ...PARTS, reachable: new Set(), restriction: "'{}'::uuid[]" });
    expect(none.includes({ text: 'SELECT 1 FROM notes' })).toBe(true);
  });
});
