import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { TestDatabase } from '../../../test/support/service.js';
import { Database } from './database.js';

describe('transactions that are held open', () => {
  let server: TestDatabase;
  let dataSource: DataSource;
  let database: Database;

  beforeAll(async () => {
    server = await TestDatabase.create();
    dataSource = new DataSource({ type: 'postgres', url: server.url, entities: [], poolSize: 6 });
    await dataSource.initialize();
    await dataSource.query('CREATE TABLE notes (text text PRIMARY KEY)');
    database = new Database(dataSource);
  });

  beforeEach(() => dataSource.query('TRUNCATE notes'));

  /** Whatever became of them, no connection is kept. */
  afterEach(() => {
    const { total, idle } = database.poolState();
    expect(idle).toBe(total);
  });

  afterAll(async () => {
    await dataSource.destroy();
    await server.drop();
  });

  const write = async (text: string): Promise<void> => {
    await database.query('INSERT INTO notes VALUES ($1)', [text]);
  };
  const writeIn = (text: string) => database.transaction(() => write(text));
  const transactionId = async () =>
    (await database.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id'))[0]!.id;
  /** What everybody else sees. */
  const stored = async () =>
    (await server.query<{ text: string }>('SELECT text FROM notes ORDER BY text')).map(({ text }) => text);
  const nothing = () => Promise.resolve();

  class Refusal extends Error {}

  it('are committed when the result has been seen, and not before', async () => {
    const result = await database.defer(
      async () => {
        await writeIn('effect');
        expect(await stored()).toEqual([]);
        return 7;
      },
      async (seen) => {
        await write(`answer ${seen}`);
        expect(await stored()).toEqual([]);
      },
    );
    expect([result, await stored()]).toEqual([7, ['answer 7', 'effect']]);
  });

  it('are not open before the work begins one', async () => {
    await database.defer(async () => {
      const { total, idle } = database.poolState();
      expect(idle).toBe(total);
      await write('by itself');
      expect(await stored()).toEqual(['by itself']);
    }, nothing);
  });

  it('are all one, with what is said between them and by the finish', async () => {
    const ids: string[] = [];
    const look = async () => void ids.push(await transactionId());
    await database.defer(async () => {
      await database.transaction(look);
      await look();
      await database.transaction(() => database.transaction(look));
      await Promise.all([database.transaction(look), database.transaction(look)]);
    }, look);
    expect(ids).toHaveLength(6);
    expect(new Set(ids).size).toBe(1);
  });

  it('begin with the finish where the work needs none', async () => {
    await database.defer(nothing, async () => {
      await write('answer');
      expect(await stored()).toEqual([]);
    });
    expect(await stored()).toEqual(['answer']);
  });

  it('are rolled back where the work fails after them', async () => {
    const work = async () => {
      await writeIn('effect');
      throw new Refusal();
    };
    await expect(database.defer(work, nothing)).rejects.toThrow(Refusal);
    expect(await stored()).toEqual([]);
  });

  it('are rolled back where the finish fails', async () => {
    const finish = async () => {
      await write('answer');
      throw new Refusal();
    };
    await expect(database.defer(() => writeIn('effect'), finish)).rejects.toThrow(Refusal);
    expect(await stored()).toEqual([]);
  });

  it('are rolled back where the connection is lost', async () => {
    const work = async () => {
      await writeIn('effect');
      const [{ pid } = { pid: 0 }] = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await server.query('SELECT pg_terminate_backend($1)', [pid]);
      await delay(100);
    };
    await expect(database.defer(work, () => write('answer'))).rejects.toThrow();
    expect(await stored()).toEqual([]);
  });

  async function undone(text: string): Promise<void> {
    const work = async () => {
      await write(text);
      throw new Refusal();
    };
    await expect(database.transaction(work)).rejects.toThrow(Refusal);
  }

  it('leave nothing of one that failed at once, and begin anew', async () => {
    await database.defer(
      async () => {
        await undone('dry run');
        await writeIn('effect');
      },
      () => write('answer'),
    );
    expect(await stored()).toEqual(['answer', 'effect']);
  });

  it('leave nothing of a later one that failed, and go on', async () => {
    await database.defer(
      async () => {
        await writeIn('effect');
        await undone('second thought');
        await expect(writeIn('effect')).rejects.toThrow(/duplicate key/);
        await writeIn('third');
      },
      () => write('answer'),
    );
    expect(await stored()).toEqual(['answer', 'effect', 'third']);
  });

  it('are left by what is done apart', async () => {
    const work = async () => {
      await writeIn('effect');
      await database.outsideTransaction(() => writeIn('tried'));
      expect(await stored()).toEqual(['tried']);
      throw new Refusal();
    };
    await expect(database.defer(work, nothing)).rejects.toThrow(Refusal);
    expect(await stored()).toEqual(['tried']);
  });

  it('are tried again where PostgreSQL asks for it', async () => {
    let tries = 0;
    await database.defer(
      () =>
        database.transaction(async () => {
          await write('effect');
          if (++tries < 3) await database.query("DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40P01'; END $$");
        }),
      nothing,
    );
    expect([tries, await stored()]).toEqual([3, ['effect']]);
  });

  it('take nothing up any more when they are over', async () => {
    let straggler = nothing();
    await database.defer(async () => {
      await writeIn('effect');
      straggler = delay(100).then(() => writeIn('late'));
    }, nothing);
    expect(await stored()).toEqual(['effect']);
    await straggler;
    expect(await stored()).toEqual(['effect', 'late']);
  });

  it('of many at once are kept apart', async () => {
    const texts = Array.from({ length: 20 }, (_, at) => `${at}`);
    const outcomes = await Promise.allSettled(
      texts.map((text, at) =>
        database.defer(
          () => writeIn(text),
          () => (at % 2 === 0 ? nothing() : Promise.reject(new Refusal())),
        ),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(await stored()).toEqual(texts.filter((_, at) => at % 2 === 0).sort());
  });
});
