import { DataSource, type QueryRunner } from 'typeorm';
import { TestDatabase } from '../../../test/support/service.js';
import { until } from '../../../test/support/until.js';
import { Config } from '../config/config.js';
import { parseEnvironment } from '../config/environment.js';
import { AmbientTransaction } from './ambient-transaction.js';
import { poolOf } from './connection-pool.js';
import { openDataSource } from './data-source.js';
import { Database } from './database.js';
import { DeferredTransactions } from './deferred-transactions.js';

describe('Database', () => {
  let server: TestDatabase;
  let dataSource: DataSource;
  let database: Database;
  let deferred: DeferredTransactions;

  beforeAll(async () => {
    server = await TestDatabase.createEmpty();
    dataSource = new DataSource({ type: 'postgres', url: server.url, entities: [], poolSize: 6 });
    await dataSource.initialize();
    await dataSource.query('CREATE TABLE texts (text text PRIMARY KEY)');
    const ambient = new AmbientTransaction();
    database = new Database(dataSource, ambient);
    deferred = new DeferredTransactions(dataSource, ambient, database);
  });

  const readPool = () => {
    const { totalCount: total, idleCount: idle } = poolOf(dataSource)!;
    return { total, idle };
  };

  beforeEach(() => dataSource.query('TRUNCATE texts'));

  /** No test may leave a connection in use. */
  afterEach(() => {
    const { total, idle } = readPool();
    expect(idle).toBe(total);
  });

  afterAll(async () => {
    await dataSource.destroy();
    await server.drop();
  });

  const write = async (text: string): Promise<void> => {
    await database.query('INSERT INTO texts VALUES ($1)', [text]);
  };
  const writeIn = (text: string) => database.transaction(() => write(text));
  const transactionId = async () =>
    (await database.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id'))[0]!.id;
  /** The committed rows, read on another connection. */
  const stored = async () =>
    (await server.query<{ text: string }>('SELECT text FROM texts ORDER BY text')).map(({ text }) => text);
  const nothing = () => Promise.resolve();

  class Rejection extends Error {}

  describe('a deferred transaction', () => {
    it('commits after finish has received the result', async () => {
      const result = await deferred.run(
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

    it('opens no connection before the work begins a transaction', async () => {
      await deferred.run(async () => {
        const { total, idle } = readPool();
        expect(idle).toBe(total);
        await write('autocommit');
        expect(await stored()).toEqual(['autocommit']);
      }, nothing);
    });

    it('runs all transactions, the statements between them and finish in one transaction', async () => {
      const ids: string[] = [];
      const recordId = async () => void ids.push(await transactionId());
      await deferred.run(async () => {
        await database.transaction(recordId);
        await recordId();
        await database.transaction(() => database.transaction(recordId));
        await Promise.all([database.transaction(recordId), database.transaction(recordId)]);
      }, recordId);
      expect(ids).toHaveLength(6);
      expect(new Set(ids).size).toBe(1);
    });

    it('begins the transaction with finish if the work begins none', async () => {
      await deferred.run(nothing, async () => {
        await write('answer');
        expect(await stored()).toEqual([]);
      });
      expect(await stored()).toEqual(['answer']);
    });

    it('rolls back if the work fails after its transactions', async () => {
      const work = async () => {
        await writeIn('effect');
        throw new Rejection();
      };
      await expect(deferred.run(work, nothing)).rejects.toThrow(Rejection);
      expect(await stored()).toEqual([]);
    });

    it('rolls back if finish fails', async () => {
      const finish = async () => {
        await write('answer');
        throw new Rejection();
      };
      await expect(deferred.run(() => writeIn('effect'), finish)).rejects.toThrow(Rejection);
      expect(await stored()).toEqual([]);
    });

    it('rolls back if the connection is lost', async () => {
      const work = async () => {
        await writeIn('effect');
        const [{ pid } = { pid: 0 }] = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        await server.query('SELECT pg_terminate_backend($1)', [pid]);
        const isConnected = () => server.query('SELECT FROM pg_stat_activity WHERE pid = $1', [pid]);
        await until(isConnected, ({ length }) => length === 0);
      };
      await expect(deferred.run(work, () => write('answer'))).rejects.toThrow();
      expect(await stored()).toEqual([]);
    });

    async function writeAndFail(text: string): Promise<void> {
      const work = async () => {
        await write(text);
        throw new Rejection();
      };
      await expect(database.transaction(work)).rejects.toThrow(Rejection);
    }

    it('rolls back a first transaction that failed and begins another', async () => {
      await deferred.run(
        async () => {
          await writeAndFail('dry run');
          await writeIn('effect');
        },
        () => write('answer'),
      );
      expect(await stored()).toEqual(['answer', 'effect']);
    });

    it('rolls back only a later transaction that failed', async () => {
      await deferred.run(
        async () => {
          await writeIn('effect');
          await writeAndFail('second');
          await expect(writeIn('effect')).rejects.toThrow(/duplicate key/);
          await writeIn('third');
        },
        () => write('answer'),
      );
      expect(await stored()).toEqual(['answer', 'effect', 'third']);
    });

    it('preserves writes of outsideTransaction after a rollback', async () => {
      const work = async () => {
        await writeIn('effect');
        await database.outsideTransaction(() => writeIn('attempt'));
        expect(await stored()).toEqual(['attempt']);
        throw new Rejection();
      };
      await expect(deferred.run(work, nothing)).rejects.toThrow(Rejection);
      expect(await stored()).toEqual(['attempt']);
    });

    it('repeats a transaction after a deadlock', async () => {
      let attempts = 0;
      await deferred.run(
        () =>
          database.transaction(async () => {
            await write('effect');
            if (++attempts < 3)
              await database.query("DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40P01'; END $$");
          }),
        nothing,
      );
      expect([attempts, await stored()]).toEqual([3, ['effect']]);
    });

    it('lets work that continues after the end commit by itself', async () => {
      let late = nothing();
      let release: () => void = () => undefined;
      await deferred.run(async () => {
        await writeIn('effect');
        late = new Promise<void>((resolve) => (release = resolve)).then(() => writeIn('late'));
      }, nothing);
      expect(await stored()).toEqual(['effect']);
      release();
      await late;
      expect(await stored()).toEqual(['effect', 'late']);
    });

    it('isolates 20 concurrent deferred transactions', async () => {
      const texts = Array.from({ length: 20 }, (_, index) => `${index}`);
      const outcomes = await Promise.allSettled(
        texts.map((text, index) =>
          deferred.run(
            () => writeIn(text),
            () => (index % 2 === 0 ? nothing() : Promise.reject(new Rejection())),
          ),
        ),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
      expect(await stored()).toEqual(texts.filter((_, index) => index % 2 === 0).sort());
    });
  });

  it('rolls back after the reader of a COPY has failed', async () => {
    const fail = () =>
      database.transaction(async () => {
        await write('before');
        const rows = database.copyOut('COPY (SELECT generate_series(1, 3000000)) TO STDOUT');
        for await (const { length } of rows) if (length > 0) throw new Rejection();
      });
    await expect(fail()).rejects.toThrow(Rejection);
    expect(await stored()).toEqual([]);
  });

  it('migrates for longer than a statement may take', async () => {
    class Slow1999999999999 {
      up = (runner: QueryRunner) => runner.query('SELECT pg_sleep(0.5)');
      down = () => Promise.resolve();
    }
    const secrets = { pepper: Buffer.alloc(32), encryptionKey: Buffer.alloc(32) };
    const config = new Config(parseEnvironment({ DATABASE_STATEMENT_TIMEOUT_MS: '200' }), secrets);
    const migrated = await openDataSource(config, server.url, [Slow1999999999999]);
    try {
      const slow = 'SELECT pg_sleep(0.5)';
      await expect(migrated.query(slow)).rejects.toThrow('statement timeout');
      await expect(migrated.transaction((manager) => manager.query(slow))).rejects.toThrow('statement timeout');
    } finally {
      await migrated.destroy();
    }
  });

  describe('retryOn', () => {
    class TableDropped extends Error {}
    class TableBusy extends Error {}

    beforeAll(() =>
      database.retryOn(
        (error) => error instanceof TableDropped,
        (cause) => new TableBusy('busy', { cause }),
      ),
    );

    const failTimes = (times: number) => {
      let attempts = 0;
      return () => (++attempts <= times ? Promise.reject(new TableDropped()) : Promise.resolve(attempts));
    };

    it.each(['transaction', 'readWithRetry'] as const)('repeats a %s after a registered error', async (method) => {
      await expect(database[method](failTimes(2))).resolves.toBe(3);
    });

    it.each(['transaction', 'readWithRetry'] as const)(
      'makes a %s fail with the registered error after three attempts',
      async (method) => {
        await expect(database[method](failTimes(3))).rejects.toThrow(TableBusy);
      },
    );

    it('repeats the whole transaction if a read in it fails with a registered error', async () => {
      let transactions = 0;
      const read = failTimes(2);
      const result = database.transaction(() => {
        transactions++;
        return database.readWithRetry(read);
      });
      await expect(result).resolves.toBe(3);
      expect(transactions).toBe(3);
    });
  });
});
