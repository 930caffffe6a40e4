import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { TestDatabase } from '../../../test/support/service.js';
import { PooledClient } from './pooled-client.js';
import type { SentStatement } from './unreachable-statements.js';

describe('PooledClient with a gate', () => {
  let server: TestDatabase;
  let pooled: PooledClient;
  /** The same with the types of node-postgres. */
  let client: Client;
  const checked: SentStatement[] = [];

  beforeAll(async () => {
    server = await TestDatabase.create();
    client = pooled = new PooledClient({ connectionString: server.url });
    await client.connect();
    await client.query('CREATE TABLE plants (key int PRIMARY KEY)');
    pooled.gate = {
      findError: (statement) => {
        checked.push(statement);
        return statement.text.includes('plants') ? new Error('rejected') : undefined;
      },
    };
  });

  afterAll(async () => {
    await client.end();
    await server.drop();
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a statement', () => client.query('SELECT key FROM plants WHERE key = $1', [1])],
    ['a statement as an object', () => client.query({ text: 'SELECT key FROM plants' })],
    [
      'a statement with a callback',
      () =>
        new Promise<void>((resolve, reject) =>
          client.query('INSERT INTO plants VALUES ($1)', [1], (error?: Error) => (error ? reject(error) : resolve())),
        ),
    ],
    [
      'COPY FROM',
      () => pipeline(Readable.from([Buffer.from('1\n')]), client.query(copyFrom('COPY plants FROM STDIN'))),
    ],
    ['COPY TO', () => buffer(client.query(copyTo('COPY plants TO STDOUT')))],
  ])('rejects %s without sending it, and executes the next statement', async (_, send) => {
    await expect(send()).rejects.toThrow('rejected');
    expect(pooled.running).toBeUndefined();
    const { rows } = await client.query('SELECT $1::int AS one', [1]);
    expect(rows).toEqual([{ one: 1 }]);
    expect(checked.at(-1)).toEqual({ text: 'SELECT $1::int AS one', values: [1] });
    expect(await server.query('SELECT key FROM plants')).toEqual([]);
  });

  it('names the statement that the server executes', async () => {
    const executed = client.query('SELECT pg_sleep($1)', [0.1]);
    await new Promise((sent) => setImmediate(sent));
    expect(pooled.running).toEqual({ text: 'SELECT pg_sleep($1)', values: [0.1] });
    await executed;
    expect(pooled.running).toBeUndefined();
  });
});
