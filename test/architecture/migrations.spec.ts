import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expectNone } from '../support/for-each.js';
import { findLastRelease, git } from '../support/release.js';
import { ROOT, TestDatabase } from '../support/service.js';

const run = promisify(execFile);

interface Probe {
  entities: number;
  difference: string[];
  remains: string[];
  differenceAfterwards: string[];
}

/** Foreign keys are only in migrations: an entity does not know entities of other modules. */
const isForeignKey = (statement: string) => /DROP CONSTRAINT "fk_\w+"$/.test(statement);

/**
 * Tables with a workspace_id that a workspace does not own: they are read before the workspace is known and are copied
 * to every node of a cluster. Most entries of the audit log belong to no workspace.
 */
const GLOBAL = ['api_keys', 'auth_events', 'directory'];

let database: TestDatabase;
let probe: Probe;

beforeAll(async () => {
  database = await TestDatabase.createEmpty();
  const { stdout } = await run(process.execPath, ['test/support/schema-probe.mjs', database.url], { cwd: ROOT });
  probe = JSON.parse(stdout) as Probe;
});

afterAll(() => database.drop());

describe('migrations', () => {
  it('migrations create the schema that the entities describe', () => {
    expectNone(
      probe.difference.filter((statement) => !isForeignKey(statement)),
      'These statements would change the schema of the migrations to that of the entities. Write them, or change the entity.',
    );
  });

  it('migrations are compared with the entities of all files', () => {
    const declared = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.entity.ts'))
      .flatMap((path) => readFileSync(join(ROOT, 'src', path), 'utf8').match(/^@Entity\(/gm) ?? []);
    expect(probe.entities).toBe(declared.length);
  });

  it('migrations can be reverted one by one to an empty database', () => {
    expectNone(probe.remains, 'Remove them in down() of the migration.');
  });

  it('migrations create texts of notes that are sorted by their bytes, as those of tables', async () => {
    // Queries convert the external ID, which all records have.
    const others = await database.query<{ name: string }>(`
      SELECT a.attname AS name FROM pg_attribute a
       WHERE a.attrelid = 'notes'::regclass AND a.atttypid = 'text'::regtype AND a.attcollation <> '"C"'::regcollation
         AND a.attname <> 'external_id'`);
    expectNone(
      others.map(({ name }) => name),
      'Add COLLATE "C".',
    );
  });

  it('migrations of the last release are unchanged', () => {
    const release = findLastRelease();
    if (!release) process.stderr.write('migrations: not compared, because no former commit is a release\n');
    const edited = release && git('diff', '--name-only', '--diff-filter=MDR', release, '--', 'migrations/[0-9]*.ts');
    expect(edited ?? '').toBe('');
  });

  it('migrations can be applied again after they were reverted', () => {
    // PostgreSQL lists constraints in any order.
    expect(probe.differenceAfterwards.toSorted()).toEqual(probe.difference.toSorted());
  });
});

/** workspace_id is the distribution column of a cluster, and isolates workspaces. */
describe('workspace-owned tables', () => {
  it('workspace-owned tables have workspace_id as the first column of their primary key and of every unique key', async () => {
    const keys = await database.query<{ table: string; key: string; first: string }>(`
      SELECT c.relname AS "table", k.relname AS key, a.attname AS first
        FROM pg_index i
        JOIN pg_class c ON c.oid = i.indrelid AND c.relnamespace = 'public'::regnamespace
        JOIN pg_class k ON k.oid = i.indexrelid
        LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
       WHERE i.indisunique
         AND EXISTS (SELECT 1 FROM pg_attribute w WHERE w.attrelid = c.oid AND w.attname = 'workspace_id')`);
    const owned = keys.filter(({ table }) => !GLOBAL.includes(table));
    expect(owned.length).toBeGreaterThan(0);
    expectNone(
      owned.filter(({ first }) => first !== 'workspace_id').map(({ table, key }) => `${table}: ${key}`),
      'Begin the key with workspace_id.',
    );
  });

  it('workspace-owned tables have foreign keys only within the workspace', async () => {
    const foreignKeys = await database.query<{ table: string; target: string; columns: string[] }>(`
      SELECT c.conrelid::regclass::text AS "table", c.confrelid::regclass::text AS target,
             (SELECT json_agg(a.attname) FROM pg_attribute a WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)) AS columns
        FROM pg_constraint c
       WHERE c.contype = 'f'
         AND EXISTS (SELECT 1 FROM pg_attribute w WHERE w.attrelid = c.confrelid AND w.attname = 'workspace_id')`);
    const toOwned = foreignKeys.filter(({ target }) => !GLOBAL.includes(target));
    expect(toOwned.length).toBeGreaterThan(0);
    expectNone(
      toOwned
        .filter(({ columns }) => !columns.includes('workspace_id'))
        .map(({ table, target }) => `${table}: ${target}`),
      'Add workspace_id to the columns of the foreign key.',
    );
  });

  it('workspace-owned tables have a primary key', async () => {
    const without = await database.query<{ table: string }>(`
      SELECT c.relname AS "table" FROM pg_class c
       WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
         AND NOT EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)`);
    expectNone(
      without.map(({ table }) => table),
      'Add a primary key that begins with workspace_id.',
    );
  });
});
