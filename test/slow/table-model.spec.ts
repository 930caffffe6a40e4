import { setTimeout as delay } from 'node:timers/promises';
import type { ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { ModelledTables, type Planned } from '../support/modelled-tables.js';
import { createSteps, Random, type Step } from '../support/random-steps.js';
import { TestDatabase, TestService } from '../support/service.js';
import { Tables } from '../support/tables.js';

/**
 * MODEL_SECONDS=1800 MODEL_SEED=7 npm run test:slow -- table-model
 *
 * The first sequence of steps has the seed MODEL_SEED, each further one the next number, until the time is over.
 */
const SECONDS = Number(process.env['MODEL_SECONDS'] ?? 30);
const SEED = Number(process.env['MODEL_SEED'] ?? Date.now() % 1_000_000);
const STEPS = Number(process.env['MODEL_STEPS'] ?? 80);
/** Sequences after which one instance is killed once; each kill takes a start of the service. */
const KILL_EVERY = Number(process.env['MODEL_KILL_EVERY'] ?? 3);

/** Short, so that writes that wait for a locked table do not take long. */
const SETTINGS = { DATABASE_LOCK_TIMEOUT_MS: '500' };
const KILLABLE = new Set<Step['kind']>(['bulk', 'import', 'replace', 'deleteMany', 'rename', 'undo']);

let database: TestDatabase;
let stable: TestService;
let killed: TestService;
let me: Credentials;

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

const callers = () => [Tables.of(stable, me), Tables.of(killed, me)] as const;

/** Sends a request again while the service is busy: nothing was stored. */
async function sendWhenFree(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  for (let attempt = 1; ; attempt++) {
    const answer = await send();
    if (answer.status !== 503 || attempt === 20) return answer;
    await delay(100);
  }
}

async function execute(model: ModelledTables, step: Step, random: Random): Promise<void> {
  const [writer, reader] = random.chance(50) ? callers() : ([...callers()].reverse() as [Tables, Tables]);
  if (step.kind === 'readPages') return model.readPages(step.table, writer, reader);
  if (step.kind === 'lockTable') return model.lockTable(step.table, database, writer);
  const planned = model.plan(step);
  if (!planned.send) return;
  const { status, body } = await sendWhenFree(() => planned.send!(writer)).then((answer) => {
    if (answer.status === planned.status) planned.apply(answer.body.data?.batchId as string | undefined, answer);
    return answer;
  });
  expect([status, body.error]).toEqual([planned.status, planned.error ?? (status < 400 ? undefined : body.error)]);
}

/** Kills an instance during the step: it has its whole effect, or none. */
async function executeAndKill(model: ModelledTables, planned: Planned, random: Random): Promise<void> {
  const [survivor, victim] = callers();
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
  me = await stable.provision();
  const model = await ModelledTables.create(callers()[0], (actual, expected) => {
    expect(actual).toEqual(expected);
  });
  const killAt = isKilling ? random.below(STEPS) : STEPS;
  let isKilled = false;
  try {
    const steps: Step[] = [];
    for (let number = 0; number < STEPS; number++) {
      while (steps.length === 0) steps.push(...createSteps(random));
      const step = steps.shift()!;
      log.push(JSON.stringify(step).replaceAll(/x{100,}/g, 'x…'));
      const planned = number >= killAt && !isKilled && KILLABLE.has(step.kind) ? model.plan(step as never) : undefined;
      if (planned?.send && planned.status === 200) {
        isKilled = true;
        await executeAndKill(model, planned, random);
      } else await execute(model, step, random);
      await model.compare(random.of(callers()));
    }
    await model.compareHistory(random.of(callers()), random);
  } catch (error) {
    console.error(`MODEL_SEED=${seed} failed at step ${log.length}:\n${log.slice(-12).join('\n')}`);
    throw error;
  }
}

it(
  'random writes, undos, renames, rules and kills on two instances have the effect that a model of Maps has',
  async () => {
    const end = Date.now() + SECONDS * 1_000;
    let sequences = 0;
    for (; Date.now() < end; sequences++)
      await runSequence(SEED + sequences, sequences % KILL_EVERY === KILL_EVERY - 1);
    console.log(`${sequences} sequences of ${STEPS} steps`);
    expect(sequences).toBeGreaterThan(0);
  },
  SECONDS * 1_000 + 300_000,
);
