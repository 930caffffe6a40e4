import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { TestDatabase } from '../../../test/support/service.js';
import { Database, PLAN_EACH_TIME, UNPREPARED } from './database.js';
import { PreparingClient } from './preparing-client.js';

const MAX_PREPARED = 3;

describe('PreparingClient', () => {
  let server: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    server = await TestDatabase.create();
    const options = { connectionString: server.url, max: 1, maxPreparedStatements: MAX_PREPARED };
    pool = new Pool({ ...options, Client: PreparingClient } as object);
    await pool.query('CREATE TABLE plants (key int PRIMARY KEY, name text)');
    await pool.query(`INSERT INTO plants VALUES (1, 'Vienna')`);
  });

  afterAll(async () => {
    await pool.end();
    await server.drop();
  });

  /** The texts of the statements that the connection has prepared, oldest first. */
  const listPrepared = async () =>
    (
      await pool.query<{ statement: string }>('SELECT statement FROM pg_prepared_statements ORDER BY prepare_time')
    ).rows.map(({ statement }) => statement);
  const select = (column: string) => `SELECT ${column} AS value FROM plants WHERE key = $1`;
  const run = async (text: string) => {
    const client = await pool.connect();
    try {
      return (await client.query<{ value: unknown }>(text, [1])).rows[0]?.value;
    } finally {
      client.release();
    }
  };

  beforeEach(async () => {
    const client = await pool.connect();
    client.release(true);
  });

  it('prepares a text with parameters at its second use', async () => {
    expect(await run(select('name'))).toBe('Vienna');
    expect(await listPrepared()).toEqual([]);
    expect(await run(select('name'))).toBe('Vienna');
    expect(await run(select('name'))).toBe('Vienna');
    expect(await listPrepared()).toEqual([select('name')]);
  });

  it('does not prepare texts without parameters, query objects and marked texts', async () => {
    for (let use = 0; use < 3; use++) {
      await pool.query('SELECT 1');
      await pool.query({ text: select('name'), values: [1] });
      await run(`/* ${UNPREPARED} */ ${select('key')}`);
    }
    expect(await listPrepared()).toEqual([]);
  });

  it('closes the least recently used statements above the limit, also in a failed transaction', async () => {
    const client = await pool.connect();
    const use = (column: string) => client.query(select(column), [1]);
    try {
      for (const column of ['1', '2', '3']) for (let count = 0; count < 2; count++) await use(column);
      await client.query('BEGIN');
      await expect(client.query('SELECT 1/0')).rejects.toThrow('division by zero');
      for (let count = 0; count < 2; count++) await expect(use('4')).rejects.toThrow('current transaction is aborted');
      await client.query('ROLLBACK');
    } finally {
      client.release();
    }
    expect(await listPrepared()).toEqual([select('2'), select('3')]);
    expect(await run(select('1'))).toBe(1);
    expect(await run(select('4'))).toBe(4);
  });

  it('prepares again after a change of the result type', async () => {
    for (let use = 0; use < 3; use++) expect(await run(select('name'))).toBe('Vienna');
    await server.query('ALTER TABLE plants ALTER COLUMN name TYPE varchar(20)');
    expect(await run(select('name'))).toBe('Vienna');
    await server.query('ALTER TABLE plants ALTER COLUMN name TYPE text');
    expect(await run(select('name'))).toBe('Vienna');
  });

  it('does not repeat a statement that fails for another reason', async () => {
    const insert = 'INSERT INTO plants VALUES ($1, $1::int::text)';
    for (let use = 0; use < 3; use++) await expect(pool.query(insert, [1])).rejects.toThrow('duplicate key');
    await expect(pool.query(insert, [2])).resolves.toMatchObject({ rowCount: 1 });
    await pool.query('DELETE FROM plants WHERE key = $1', [2]);
  });
});

describe('Database with prepared statements', () => {
  let server: TestDatabase;
  let dataSource: DataSource;
  let database: Database;

  beforeAll(async () => {
    server = await TestDatabase.create();
    const extra = { Client: PreparingClient, maxPreparedStatements: 10 };
    dataSource = new DataSource({ type: 'postgres', url: server.url, entities: [], poolSize: 1, extra });
    await dataSource.initialize();
    database = new Database(dataSource);
    await database.query('CREATE TABLE plants (key int PRIMARY KEY, name text)');
    await database.query(`INSERT INTO plants VALUES (1, 'Vienna')`);
  });

  afterAll(async () => {
    await dataSource.destroy();
    await server.drop();
  });

  const SELECT = 'SELECT name FROM plants WHERE key = $1';

  it('repeats a transaction after a change of the result type', async () => {
    for (let use = 0; use < 3; use++) await database.query(SELECT, [1]);
    await server.query('ALTER TABLE plants ALTER COLUMN name TYPE varchar(20)');
    let attempts = 0;
    const rows = await database.transaction(() => {
      attempts++;
      return database.query(SELECT, [1]);
    });
    expect([rows, attempts]).toEqual([[{ name: 'Vienna' }], 2]);
  });

  it('does not prepare a statement that is planned each time', async () => {
    for (let use = 0; use < 3; use++)
      await database.query('SELECT key FROM plants WHERE key = $1', [1], PLAN_EACH_TIME);
    const prepared = await database.query<{ statement: string }>('SELECT statement FROM pg_prepared_statements');
    expect(prepared.map(({ statement }) => statement)).not.toContain('SELECT key FROM plants WHERE key = $1');
  });
});
