import { Client } from 'pg';
import { TestDatabase } from '../../../test/support/service.js';
import { toNamePattern } from './name-pattern.js';
import type { TextKind } from './names-persons.decorator.js';

const NAMES = ['ann@x.example', 'Ann Lee', 'Ann', 'O"Neil (sr.) B', '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a'];

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

  async function replace(text: string, names: string[], kind: TextKind) {
    const { rows } = await client.query<{ found: boolean; replaced: string }>(
      "SELECT $1::text ~* $2 AS found, regexp_replace($1::text, $2, 'P', 'gi') AS replaced",
      [text, toNamePattern(names, kind)],
    );
    return rows[0]!;
  }

  /** As PostgreSQL writes it. */
  async function toStored(value: unknown): Promise<string> {
    const { rows } = await client.query<{ text: string }>('SELECT $1::jsonb::text AS text', [JSON.stringify(value)]);
    return rows[0]!.text;
  }

  it.each([
    ['ann@x.example', 'P'],
    ['Write to ANN@x.example.', 'Write to P.'],
    ['joann@x.example, j.ann@x.example', 'joann@x.example, j.ann@x.example'],
    ['ann@x.example.org', 'ann@x.example.org'],
    ['ann@x.example.pdf', 'P.pdf'],
    ['ann@x.example.csv.gz, ann@x.example-2', 'P.csv.gz, ann@x.example-2'],
    ['ann@x.example.pdfs', 'ann@x.example.pdfs'],
    ['Ann', 'P'],
    ['ask Ann', 'ask Ann'],
    ['ask ann  lee (Ann Leech)', 'ask P (Ann Leech)'],
    ['O"Neil (sr.) B', 'P'],
    ['the subject 0190A6DE-7c4e-7b1a-9c3f-2b8f0d1e2f3a of', 'the subject P of'],
  ])('are replaced where they are whole: %s', async (text, expected) => {
    expect(await replace(text, NAMES, 'text')).toEqual({ found: text !== expected, replaced: expected });
  });

  it.each<[names: string[], value: unknown, expected: unknown, kind?: TextKind]>([
    [NAMES, { assignee: 'Ann', b: 'Ann', c: 'x\nAnn Lee' }, { assignee: 'P', b: 'Ann', c: 'x\nP' }],
    [NAMES, { assignee: 'Ann', b: 'Ann', Ann: 'Dear Ann' }, { assignee: 'P', b: 'P', Ann: 'Dear Ann' }, 'attributes'],
    [NAMES, ['O"Neil (sr.) B', '<ann@x.example>\n', 'X\\Ann Lee'], ['P', '<P>\n', 'X\\P']],
    [
      NAMES,
      { 'ann@x.example': 1, 'Ann Lee': 2, 'of Ann Lee now': 'Ann Lee: x' },
      { P: 1, 'Ann Lee': 2, 'of Ann Lee now': 'P: x' },
    ],
    [['data'], { data: { assignee: 'data' } }, { data: { assignee: 'P' } }],
    [['lobby'], [{ id: 'lobby', label: 'Lobby' }], [{ id: 'lobby', label: 'P' }]],
    [['data'], { data: 'x' }, { data: 'x' }, 'attributes'],
    [['owner'], { role: 'owner', owner: ['owner'] }, { role: 'owner', owner: ['owner'] }],
    [['"role": "reader"'], { role: 'reader', a: '"role": "reader"' }, { role: 'reader', a: 'P' }],
    [
      ['], [', ': null,', '1, 2, 3', '1234567890123456'],
      [['a'], ['b'], { c: null, d: [1, 2, 3, 1234567890123456] }],
      null,
    ],
    // The letter of an escape sequence does not belong to a name.
    [['nLee Ng', 'nlee@x.example', '\\ttt uuu'], ['\nLee Ng', '\nlee@x.example', '\\\ttt uuu'], null],
  ])(
    '%j are replaced in the texts of JSON, so that it remains the same JSON: %j',
    async (names, value, expected, kind = 'json') => {
      for (const text of [JSON.stringify(value), await toStored(value)]) {
        const { replaced } = await replace(text, names, kind);
        expect(JSON.parse(replaced)).toEqual(expected ?? value);
      }
    },
  );
});
