import { benchAuthentication } from './authentication.js';
import { benchBulk } from './bulk.js';
import { machineFacts } from './machine.js';
import { benchMemory } from './memory.js';
import { type Options, readOptions, type Subject } from './options.js';
import { benchPages } from './pages.js';
import { Stage } from './stage.js';

type Bench = (stage: Stage, options: Options, note: (line: string) => void) => Promise<string>;

/** In this order: the service's peak memory during the bulk measurements is its own only while they come first. */
const BENCHES: Record<Subject, Bench> = {
  bulk: benchBulk,
  pages: benchPages,
  auth: benchAuthentication,
  memory: benchMemory,
};

const options = readOptions(process.argv.slice(2));
const startedAt = Date.now();
const elapsed = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
const print = (text: string) => process.stdout.write(`${text}\n\n`);
/** Progress goes where it does not get into the tables. */
const note = (line: string) => process.stderr.write(`${elapsed().padStart(6)}  ${line}\n`);

note('starting PostgreSQL and the service');
const stage = await Stage.open(options);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stage.close().then(() => process.exit(130)));
try {
  print(`# Benchmark of ${new Date().toISOString().slice(0, 10)}`);
  print(await machineFacts(stage.database));
  print(`Each figure is the median of ${options.runs} runs, with their minimum and maximum.`);
  for (const subject of Object.keys(BENCHES) as Subject[]) {
    if (options.subjects.includes(subject)) print(await BENCHES[subject](stage, options, note));
  }
} finally {
  await stage.close();
}
print(`Took ${elapsed()}.`);
