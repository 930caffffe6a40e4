import type { ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { TestService } from '../support/service.js';
import { type SharedService, shareServices } from '../support/shared-services.js';
import { column, type Item, keyAt, manyRows, Tables, text, unique } from '../support/tables.js';

const WRITERS = 8;

let credentials: Credentials;
let database: Database;
let deadlocksBefore: number;
/** Two instances of the service on one database. */
let services: SharedService[] = [];
/** One caller per writer, alternately on the two instances. */
let writers: Tables[];

beforeAll(async () => {
  ({ database, services } = await shareServices(2));
  deadlocksBefore = await database.deadlocks();
  credentials = await services[0]!.provision();
  writers = manyRows(WRITERS, (position) => Tables.of(services[position % 2]!, credentials));
}, 60_000);

afterAll(async () => {
  for (const service of services)
    expect(service.output.join('')).not.toMatch(/internal_error|deadlock|40P01|Unhandled|uncaught/i);
  expect(await database.deadlocks()).toBe(deadlocksBefore);
});

const statusesOf = (answers: ApiResponse[]) => answers.map((answer) => answer.status);
const totalOf = (answers: ApiResponse[], count: string): number =>
  answers.reduce((sum, answer) => sum + Number(answer.body.data.totals[count]), 0);

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
}

describe('concurrent callers on two instances', () => {
  it('create one table of one name, with the rows of all of them', async () => {
    for (let round = 0; round < 3; round++) {
      const name = unique('Race');
      const answers = await Promise.all(
        writers.map((writer, who) =>
          writer.bulk('assets', {
            name: who % 2 ? name : name.toUpperCase(),
            columns: [text('Key'), text('Writer')],
            items: manyRows(50, (row) => ({ key: `${who}-${row}`, writer: who })),
          }),
        ),
      );
      expect(statusesOf(answers).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
      expect(new Set(answers.map((answer) => answer.body.data.tables[0].id)).size).toBe(1);
      expect(totalOf(answers, 'created')).toBe(WRITERS * 50);
      expect(await writers[0]!.rows('assets', name)).toHaveLength(WRITERS * 50);
      // Each writing request has its own revision.
      expect(answers.map((answer) => answer.body.data.revision as number).sort()).toEqual(
        manyRows(WRITERS, (position) => position + 1),
      );
    }
  });

  it('create tables of different names', async () => {
    const names = writers.map((_, who) => unique(`Own ${who}`));
    const answers = await Promise.all(
      writers.map((writer, who) =>
        writer.bulk('lists', { name: names[who]!, columns: [text('Key')], items: [{ key: who }] }),
      ),
    );
    expect(statusesOf(answers)).toEqual(manyRows(WRITERS, () => 201));
    for (const [who, name] of names.entries())
      expect(await writers[0]!.rows('lists', name)).toEqual([{ key: String(who) }]);
  });

  it('write the same rows in any order without lost updates', async () => {
    const columns = [text('Key'), ...manyRows(WRITERS, (who) => column(`W${who}`, 'number'))];
    const name = unique('Overlap');
    const keys = manyRows(400, keyAt);
    await writers[0]!.bulk('assets', { name, columns, items: shuffled(keys.slice(0, 200)).map((key) => ({ key })) });
    const answers = await Promise.all(
      writers.map(async (writer, who) => {
        const own: ApiResponse[] = [];
        for (let round = 1; round <= 5; round++) {
          own.push(
            await writer.bulk('assets', { name, items: shuffled(keys).map((key) => ({ key, [`w${who}`]: round })) }),
          );
        }
        return own;
      }),
    );
    expect(statusesOf(answers.flat())).toEqual(manyRows(WRITERS * 5, () => 200));
    expect(totalOf(answers.flat(), 'created')).toBe(200);
    const all = Object.fromEntries(manyRows(WRITERS, (who) => [`w${who}`, 5]));
    expect(await writers[1]!.rows('assets', name)).toEqual(keys.map((key) => ({ key, ...all })));
    expect(await writers[0]!.revision('assets', name)).toBe(1 + WRITERS * 5);
  });

  it('send tables A and B in both orders without a deadlock', async () => {
    const [a, b] = [unique('A'), unique('B')];
    const items = manyRows(100, (row) => ({ key: keyAt(row) }));
    const batch = (name: string, who: number, round: number) => ({
      name,
      columns: [text('Key'), text('Last')],
      items: items.map((item) => ({ ...item, last: `${who}-${round}` })),
    });
    const answers = await Promise.all(
      writers.map(async (writer, who) => {
        const own: ApiResponse[] = [];
        for (let round = 0; round < 5; round++) {
          const both = [batch(a, who, round), batch(b, who, round)];
          own.push(await writer.bulk('lists', who % 2 ? both : both.reverse()));
        }
        return own;
      }),
    );
    for (const status of statusesOf(answers.flat())) expect([200, 201]).toContain(status);
    // All or nothing: both tables have the rows of the same request.
    const last = [await writers[0]!.rows('lists', a), await writers[0]!.rows('lists', b)]
      .flat()
      .map((item) => item['last']);
    expect(new Set(last).size).toBe(1);
  });

  it('add the same column and different columns while others read', async () => {
    const name = unique('Growing');
    await writers[0]!.bulk('assets', { name, columns: [text('Key')], items: [{ key: '1' }] });
    let growing = true;
    const reading = writers.slice(0, 2).map(async (reader) => {
      while (growing) expect(statusesOf([await reader.read('assets', name)])).toEqual([200]);
    });
    const answers = await Promise.all(
      writers.map((writer, who) =>
        writer.bulk('assets', {
          name,
          columns: [column('Shared', 'number'), text(`Own ${who}`)],
          items: [{ key: `w${who}`, shared: who, [`own_${who}`]: 'mine' }],
        }),
      ),
    );
    growing = false;
    await Promise.all(reading);
    expect(statusesOf(answers)).toEqual(manyRows(WRITERS, () => 200));
    const added = answers.flatMap((answer) => answer.body.data.tables[0].columnsAdded as string[]);
    expect(added.sort()).toEqual([...manyRows(WRITERS, (who) => `own_${who}`), 'shared']);
    const rows = await writers[0]!.rows('assets', name);
    expect(rows).toHaveLength(WRITERS + 1);
    for (let who = 0; who < WRITERS; who++) {
      expect(rows.find((item) => item['key'] === `w${who}`)).toMatchObject({ shared: who, [`own_${who}`]: 'mine' });
    }
  });

  it('add a column with two types: one type succeeds, the others receive 409', async () => {
    const name = unique('Quarrel');
    await writers[0]!.bulk('assets', { name, columns: [text('Key')], items: [] });
    const answers = await Promise.all(
      writers.map((writer, who) =>
        writer.bulk('assets', {
          name,
          columns: [column('X', who % 2 ? 'number' : 'date')],
          items: [{ key: who, x: who % 2 ? 1 : '2024-01-01' }],
        }),
      ),
    );
    expect(statusesOf(answers).sort()).toEqual([200, 200, 200, 200, 409, 409, 409, 409]);
    expect(await writers[0]!.rows('assets', name)).toHaveLength(4);
  });

  it('create the same rows: one creates each, the others find it unchanged', async () => {
    const name = unique('Same');
    await writers[0]!.bulk('assets', { name, columns: [text('Key'), text('Name')], items: [] });
    const items = manyRows(500, (row) => ({ key: keyAt(row), name: 'the same' }));
    const answers = await Promise.all(writers.map((writer) => writer.bulk('assets', { name, items: shuffled(items) })));
    expect(totalOf(answers, 'created')).toBe(500);
    expect(totalOf(answers, 'unchanged')).toBe(500 * (WRITERS - 1));
    expect(await writers[0]!.revision('assets', name)).toBe(2);
  });

  it('never expose a part of a request to readers', async () => {
    const name = unique('Whole');
    const items = (round: number) => manyRows(300, (row) => ({ key: keyAt(row), round }));
    await writers[0]!.bulk('assets', { name, columns: [text('Key'), column('Round', 'number')], items: items(0) });
    let writing = true;
    const readings = writers.slice(2, 4).map(async (reader) => {
      while (writing) {
        const page = await reader.read('assets', name, { limit: 5000 });
        expect(new Set((page.body.data.items as Item[]).map((item) => item['round'])).size).toBe(1);
      }
    });
    for (let round = 1; round <= 10; round++) await writers[round % 2]!.bulk('assets', { name, items: items(round) });
    writing = false;
    await Promise.all(readings);
  });
});

it('a write that waits too long for the lock returns 503, and nothing is stored', async () => {
  const name = unique('Busy');
  const [writer] = writers as [Tables];
  await writer.bulk('assets', { name, columns: [text('key')], items: [] });
  const impatient = await TestService.start(database, { DATABASE_LOCK_TIMEOUT_MS: '500' });
  const release = await database.lockTables(credentials);
  try {
    const answer = await Tables.of(impatient, credentials).bulk('assets', { name, items: [{ key: 'a' }] });
    expect(answer).toMatchObject({ status: 503, body: { error: 'busy' } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  } finally {
    await release();
    await impatient.stop();
  }
  expect(await writer.rows('assets', name)).toEqual([]);
}, 30_000);
