import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { ModelledTables, type Planned } from '../support/modelled-tables.js';
import { createStep, createSteps, Random, type Step } from '../support/random-steps.js';
import { TestDatabase, TestService } from '../support/service.js';
import { Tables } from '../support/tables.js';

/**
 * MODEL_SEQUENCES=1000 MODEL_SEED=7 npm run test:nightly -- table-model
 *
 * The first sequence of steps has the seed MODEL_SEED, each further one the next number, until MODEL_SEQUENCES were
 * run; without this number, until MODEL_SECONDS are over. To repeat one, set MODEL_SEED to its number and
 * MODEL_SEQUENCES=1.
 */
const SEQUENCES = Number(process.env['MODEL_SEQUENCES'] ?? Number.POSITIVE_INFINITY);
const SECONDS = Number(process.env['MODEL_SECONDS'] ?? 30);
const SEED = Number(process.env['MODEL_SEED'] ?? Date.now() % 1_000_000);
const STEPS = Number(process.env['MODEL_STEPS'] ?? 80);
/** One of so many sequences kills an instance once, which takes a start of the service. No other runs then. */
const KILL_EVERY = Number(process.env['MODEL_KILL_EVERY'] ?? 3);
/** Sequences at the same time, each in a workspace of its own: they wait for locks and for the instances. */
const CONCURRENT = 4;

/** Short, so that writes that wait for a locked table do not take long. */
const SETTINGS = { DATABASE_LOCK_TIMEOUT_MS: '500' };
const KILLABLE = new Set<Step['kind']>([
  ...(['bulk', 'import', 'replace', 'deleteMany', 'rename', 'undo', 'restore'] as const),
  ...(['put', 'patch', 'delete'] as const),
]);
/** Each sequence continues until all of them have succeeded once. */
const NEEDED = new Set<Step['kind']>([...KILLABLE, 'rules', 'readdColumn']);

let database: TestDatabase;
let stable: TestService;
let killed: TestService;

beforeAll(async () => {
  database = await TestDatabase.create();
  [stable, killed] = await Promise.all([TestService.start(database, SETTINGS), TestService.start(database, SETTINGS)]);
  console.log(`MODEL_SEED=${SEED}`);
}, 120_000);

afterAll(async () => {
  await Promise.all([stable?.stop(), killed?.stop()]);
  await database?.drop();
  for (const service of [stable, killed])
    expect(service.output.join('')).not.toMatch(/internal_error|Unhandled|uncaught/i);
});

/** A sequence of steps. */
interface Sequence {
  model: ModelledTables;
  random: Random;
  me: Credentials;
  /** The steps that had an effect. */
  succeeded: Set<Step['kind']>;
}

const callersOf = ({ me }: Sequence) => [Tables.of(stable, me), Tables.of(killed, me)] as const;

/** Sends a request again while the service is busy: nothing was stored. */
async function sendWhenFree(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  for (let attempt = 1; ; attempt++) {
    const answer = await send();
    if (answer.status !== 503 || attempt === 20) return answer;
    await delay(100);
  }
}

async function execute(sequence: Sequence, step: Step): Promise<void> {
  const { model, random, succeeded } = sequence;
  const callers = callersOf(sequence);
  const [writer, reader] = random.chance(50) ? callers : ([...callers].reverse() as [Tables, Tables]);
  if (step.kind === 'readPages') return model.readPages(step.table, writer, reader);
  if (step.kind === 'lockTable') return model.lockTable(step.table, database, writer);
  const planned = model.plan(step);
  if (!planned.send) return;
  const { status, body } = await sendWhenFree(() => planned.send!(writer)).then((answer) => {
    if (answer.status !== planned.status) return answer;
    const before = model.revisions;
    planned.apply(answer.body.data?.batchId as string | undefined, answer);
    if (model.revisions !== before) succeeded.add(step.kind);
    return answer;
  });
  expect([status, body.error]).toEqual([planned.status, planned.error ?? (status < 400 ? undefined : body.error)]);
}

/** Kills an instance during the step: it has its whole effect, or none. */
async function executeAndKill(sequence: Sequence, planned: Planned): Promise<void> {
  const { model, random } = sequence;
  const [survivor, victim] = callersOf(sequence);
  const readNewestBatch = async () =>
    (await survivor.api.get(`${survivor.path}/batches?limit=1`)).body.data.items[0]?.id as string | undefined;
  const before = await readNewestBatch();
  const sending = planned.send!(victim).catch(() => undefined);
  await delay(random.below(25));
  await killed.stop('SIGKILL');
  await sending;
  // PostgreSQL ends the statement of the killed instance, and rolls back or commits.
  await delay(300);
  await database.query('SELECT FROM workspace_tables FOR UPDATE');
  const newest = await readNewestBatch();
  if (newest !== before || !(await model.isUnchanged(survivor))) planned.apply(newest);
  killed = await TestService.start(database, SETTINGS);
}

async function runSequence(seed: number, isKilling: boolean): Promise<void> {
  const random = new Random(seed);
  const log: string[] = [];
  // References without a target may mean the rows of all Locations tables of the workspace.
  const me = await stable.provision();
  const model = await ModelledTables.create(Tables.of(stable, me), (actual, expected) => {
    expect(actual).toEqual(expected);
  });
  const sequence: Sequence = { model, random, me, succeeded: new Set() };
  const createMissing = () => {
    const missing = [...NEEDED].find((kind) => !sequence.succeeded.has(kind));
    // Other steps in between may create what it needs.
    return missing && createStep(random, random.chance(50) ? missing : undefined);
  };
  const killAt = isKilling ? random.below(STEPS) : Number.POSITIVE_INFINITY;
  let isKilled = false;
  try {
    const steps: Step[] = [];
    for (let number = 0; ; number++) {
      while (number < STEPS && steps.length === 0) steps.push(...createSteps(random));
      const step = number < STEPS ? steps.shift() : createMissing();
      if (!step) break;
      log.push(JSON.stringify(step).replaceAll(/x{100,}/g, 'x…'));
      const planned = number >= killAt && !isKilled && KILLABLE.has(step.kind) ? model.plan(step as never) : undefined;
      if (planned?.send && planned.status < 300) {
        isKilled = true;
        await executeAndKill(sequence, planned);
      } else await execute(sequence, step);
      await model.compare(random.of(callersOf(sequence)));
    }
    await model.compareHistory(random.of(callersOf(sequence)), random);
  } catch (error) {
    console.error(`MODEL_SEED=${seed} failed at step ${log.length}:\n${log.slice(-12).join('\n')}\n${inspect(error)}`);
    throw error;
  }
}

it(
  'random writes, undos, restorations, renames, rules and kills on two instances have the effect that a model has',
  async () => {
    const start = Date.now();
    const failed: number[] = [];
    let sequences = 0;
    const isOver = () => sequences === SEQUENCES || (SEQUENCES === Infinity && Date.now() - start >= SECONDS * 1_000);
    const runNext = async () => {
      const seed = SEED + sequences++;
      await runSequence(seed, sequences % KILL_EVERY === 0).catch(() => failed.push(seed));
    };
    while (!isOver()) {
      const runUntilKill = async () => {
        while (!isOver() && (sequences + 1) % KILL_EVERY !== 0) await runNext();
      };
      await Promise.all(Array.from({ length: CONCURRENT }, runUntilKill));
      if (!isOver()) await runNext();
    }
    const seconds = (Date.now() - start) / 1_000;
    console.log(`${sequences} sequences of ${STEPS} steps, ${(seconds / sequences).toFixed(1)} s each`);
    expect(failed).toEqual([]);
    expect(sequences).toBeGreaterThan(0);
  },
  24 * 60 * 60 * 1_000,
);
