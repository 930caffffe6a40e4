import { loadavg } from 'node:os';
import { benchBulk } from './bulk.js';
import { benchCluster } from './cluster.js';
import { benchConstraints } from './constraints.js';
import { benchCommandLine } from './command-line.js';
import { benchHistory } from './history.js';
import { describeMachine } from './machine.js';
import { benchEvents } from './events.js';
import { benchFilteredPages } from './filtered-pages.js';
import { benchGrowth } from './growth.js';
import { benchImport } from './import.js';
import { type Options, readOptions, type Subject } from './options.js';
import { benchQueries } from './queries.js';
import { benchOverload } from './overload.js';
import { benchPolicies } from './policies.js';
import { benchRateLimits } from './rate-limits.js';
import { benchSmallRequests } from './small-requests.js';
import { benchSynchronization } from './synchronization.js';
import { Stage } from './stage.js';

type Bench = (stage: Stage, options: Options, note: (line: string) => void) => Promise<string>;

/** The order matters: bulk must be first, because it reports the peak memory of the shared service. */
const BENCHES: Record<Subject, Bench> = {
  bulk: async (...shared) => [await benchBulk(...shared), await benchConstraints(...shared)].join('\n\n'),
  import: benchImport,
  cli: benchCommandLine,
  sync: benchSynchronization,
  history: benchHistory,
  growth: benchGrowth,
  queries: benchQueries,
  small: async (...shared) => [await benchSmallRequests(...shared), await benchFilteredPages(...shared)].join('\n\n'),
  limits: benchRateLimits,
  policies: benchPolicies,
  events: benchEvents,
  overload: benchOverload,
  cluster: benchCluster,
};

const options = readOptions(process.argv.slice(2));
const startedAt = Date.now();
const [loadBefore] = loadavg();
const elapsed = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
const print = (text: string) => process.stdout.write(`${text}\n\n`);
/** Prints progress to stderr, so that stdout contains only the tables. */
const note = (line: string) => process.stderr.write(`${elapsed().padStart(6)}  ${line}\n`);

async function runAll(stage: Stage): Promise<void> {
  print(`# Benchmark of ${new Date().toISOString().slice(0, 10)}`);
  print(await describeMachine(stage.database, loadBefore!));
  print(`Each figure is the median of ${options.runs} runs, with their minimum and maximum.`);
  for (const subject of Object.keys(BENCHES) as Subject[]) {
    if (options.subjects.includes(subject)) print(await BENCHES[subject](stage, options, note));
  }
  print(`Took ${elapsed()}.`);
}

const interrupted = new Promise<void>((done) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      process.exitCode = 130;
      done();
    });
  }
});

note('starting PostgreSQL and the service');
const stage = await Stage.open(options);
try {
  await Promise.race([runAll(stage), interrupted]);
} finally {
  await stage.close();
}
// After an interruption, open requests would wait for responses forever.
process.exit();
