import { Client } from 'pg';
import { TestDatabase } from '../../../test/support/service.js';
import { toNamePattern } from './name-pattern.js';

const PATTERN = toNamePattern([
  'ann@x.example',
  'Ann Lee',
  'Ann',
  'O"Neil (sr.) B',
  '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a',
]);

describe('names in texts', () => {
  let database: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    database = await TestDatabase.create();
    client = new Client(database.url);
    await client.connect();
  });

  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  it.each([
    ['ann@x.example', 'P'],
    ['Write to ANN@x.example.', 'Write to P.'],
    ['joann@x.example, j.ann@x.example', 'joann@x.example, j.ann@x.example'],
    ['ann@x.example.org', 'ann@x.example.org'],
    ['Ann', 'P'],
    ['ask Ann', 'ask Ann'],
    ['ask ann  lee (Ann Leech)', 'ask P (Ann Leech)'],
    ['O"Neil (sr.) B', 'P'],
    ['the subject 0190A6DE-7c4e-7b1a-9c3f-2b8f0d1e2f3a of', 'the subject P of'],
    [
      JSON.stringify({ a: 'Ann', b: 'Dear Ann', c: 'x\nAnn Lee' }),
      JSON.stringify({ a: 'P', b: 'Dear Ann', c: 'x\nP' }),
    ],
    [JSON.stringify(['O"Neil (sr.) B', 'ann@x.example\n']), JSON.stringify(['P', 'P\n'])],
  ])('are replaced where they are whole: %s', async (text, expected) => {
    const { rows } = await client.query<{ found: boolean; replaced: string }>(
      "SELECT $1::text ~* $2 AS found, regexp_replace($1::text, $2, 'P', 'gi') AS replaced",
      [text, PATTERN],
    );
    expect(rows[0]).toEqual({ found: text !== expected, replaced: expected });
  });
});
