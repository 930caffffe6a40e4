import { type QueueOwner, RowQueue } from './row-queue.js';

/** A statement in progress. */
interface Statement {
  rows: string[];
  end: (failure?: Error) => Promise<void>;
}

let statements: Statement[];
let rejected: string[];
let idle: number;
let queue: RowQueue<string>;

/** Rows of a kind begin with the same letter. */
const owner: QueueOwner<string> = {
  limit: 3,
  select: ([first, ...rest]) => new Set([first!, ...rest.filter((row) => row[0] === first![0])]),
  write: (rows) =>
    new Promise((resolve) => {
      const end = async (failure?: Error) => {
        resolve(failure);
        await jest.advanceTimersByTimeAsync(0);
      };
      statements.push({ rows: [...rows], end });
    }),
  reject: (row) => rejected.push(row),
  onIdle: () => idle++,
};

beforeEach(() => {
  jest.useFakeTimers();
  statements = [];
  rejected = [];
  idle = 0;
  queue = new RowQueue(owner);
});

afterEach(() => jest.useRealTimers());

const add = (...rows: string[]) => {
  for (const row of rows) queue.add(row);
};

it('writes the rows that arrive during a statement together after it', async () => {
  add('a1', 'a2', 'a3');
  expect(statements.map(({ rows }) => rows)).toEqual([['a1']]);
  await statements[0]!.end();
  expect(statements[1]!.rows).toEqual(['a2', 'a3']);
  await statements[1]!.end();
  expect([statements.length, idle, jest.getTimerCount()]).toEqual([2, 1, 0]);
});

it('starts further statements if one takes long, up to the limit', () => {
  add('a1', 'a2');
  jest.advanceTimersByTime(20);
  add('a3');
  jest.advanceTimersByTime(20);
  add('a4');
  expect(jest.getTimerCount()).toBe(0);
  expect(statements.map(({ rows }) => rows)).toEqual([['a1'], ['a2'], ['a3']]);
});

it('has no timer after a failure has rejected the pending rows', async () => {
  add('a1', 'a2');
  jest.advanceTimersByTime(20);
  add('a3', 'b1');
  await statements[0]!.end(new Error('lock timeout'));
  expect([rejected, jest.getTimerCount()]).toEqual([['a3', 'b1'], 0]);
  jest.advanceTimersByTime(100);
  expect([statements.length, idle]).toEqual([2, 0]);
  await statements[1]!.end(new Error('lock timeout'));
  expect(idle).toBe(1);
});

it('continues with the pending rows of other kinds', async () => {
  add('a1', 'b1', 'a2', 'b2');
  await statements[0]!.end();
  expect(statements[1]!.rows).toEqual(['b1', 'b2']);
  await statements[1]!.end();
  expect(statements[2]!.rows).toEqual(['a2']);
});
