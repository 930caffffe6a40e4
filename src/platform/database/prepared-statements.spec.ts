import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { TestDatabase } from '../../../test/support/service.js';
import { Database } from './database.js';
import { PooledClient } from './pooled-client.js';
import { PREPARED_STATEMENTS } from './prepared-statements.js';

const ROOT = join(import.meta.dirname, '../../..');

describe('prepared statements', () => {
  let server: TestDatabase;

  beforeAll(async () => {
    server = await TestDatabase.create();
    await server.query('CREATE TABLE plants (key int PRIMARY KEY, name text)');
    await server.query(`INSERT INTO plants VALUES (1, 'Vienna')`);
  });

  afterAll(() => server.drop());

  /** Statements run twice by `Database`, with and without a name, and by TypeORM. @returns those that are prepared. */
  const findPrepared = async (options: object) => {
    const extra = { Client: PooledClient, ...options };
    const dataSource = new DataSource({ type: 'postgres', url: server.url, entities: [], poolSize: 1, extra });
    await dataSource.initialize();
    const database = new Database(dataSource);
    for (let use = 0; use < 2; use++) {
      expect(await database.query('SELECT name FROM plants WHERE key = $1', [1], 'session')).toEqual([
        { name: 'Vienna' },
      ]);
      await database.transaction(() => database.affected('UPDATE plants SET name = $1', ['Vienna'], 'refresh'));
      await database.query('SELECT key FROM plants WHERE key = $1', [1]);
      await dataSource.query('SELECT key + 1 FROM plants WHERE key = $1', [1]);
    }
    const prepared: unknown = await dataSource.query(
      'SELECT name, statement FROM pg_prepared_statements ORDER BY prepare_time',
    );
    await dataSource.destroy();
    return prepared;
  };

  it('are those with a name', async () => {
    expect(await findPrepared({})).toEqual([
      { name: 'session', statement: 'SELECT name FROM plants WHERE key = $1' },
      { name: 'refresh', statement: 'UPDATE plants SET name = $1' },
    ]);
  });

  it('do not exist behind a pooler without them', async () => {
    expect(await findPrepared({ areStatementsPrepared: false })).toEqual([]);
  });

  it('are listed, and each is used once', () => {
    const list = (folder: string) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(ROOT, folder, file));
    const files = [...list('src'), ...list('packages/tables')].filter((file) => /(?<!spec)\.ts$/.test(file));
    const calls = files
      .map((file) => readFileSync(file, 'utf8'))
      .filter((text) => /database|sql/.test(text) && !text.includes('PREPARED_STATEMENTS'))
      .flatMap((text) => [...text.matchAll(/,\s+'([^']+)',?\s*\)/g)].map(([, name]) => name))
      .filter((name): name is string => (PREPARED_STATEMENTS as readonly unknown[]).includes(name));
    expect(calls.sort()).toEqual([...PREPARED_STATEMENTS].sort());
  });
});
