import { once } from 'node:events';
import { cpus, loadavg } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { prepareBulk } from './bulk.js';
import { prepareImport } from './import.js';
import { type Group, measure } from './measure.js';
import { prepareOverload } from './overload.js';
import { prepareQueries } from './queries.js';
import { prepareSmall } from './small.js';
import { type Sizes, Stage } from './stage.js';
import { prepareSync } from './sync.js';
import { formatTable } from './table.js';

/** The measurements of each subject. Its file has the requests, their floors and their aims. */
const SUBJECTS: Record<string, (stage: Stage, sizes: Sizes) => Promise<Group[]>> = {
  bulk: prepareBulk,
  import: prepareImport,
  sync: prepareSync,
  small: prepareSmall,
  queries: prepareQueries,
  overload: prepareOverload,
};

type Options = { quick?: true; only: string[]; runs?: number; rows?: number; request: string; profile?: string };

const startedAt = Date.now();
const elapsed = () => `${Math.round((Date.now() - startedAt) / 1_000)} s`;
const print = (text: string) => process.stdout.write(`${text}\n\n`);
/** Prints progress to stderr, so that stdout contains only the tables. */
const note = (line: string) => process.stderr.write(`${elapsed().padStart(6)}  ${line}\n`);

async function run({ quick, only, request, profile, ...given }: Options): Promise<void> {
  const { runs = quick ? 2 : 5, rows = quick ? 100_000 : 1_000_000 } = given;
  const sizes = { rows, bulkRows: quick ? 20_000 : 60_000, seconds: quick ? 1 : 3 };
  const machine = `${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}, Node ${process.version}`;
  print(`# Benchmark of ${new Date().toISOString().slice(0, 10)}: ${runs} runs, ${machine}`);
  const stage = await Stage.open(profile);
  const measureAll = async () => {
    for (const subject of only) {
      note(`${subject}: preparing`);
      const groups = await SUBJECTS[subject]!(stage, sizes);
      const chosen = groups.filter(({ measurements }) => measurements.some(({ name }) => name.includes(request)));
      print(`## ${subject}\n\n${formatTable(await measure(chosen, runs, note))}`);
    }
  };
  const interrupted = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal))).then(() => 130);
  try {
    process.exitCode = await Promise.race([measureAll().then(() => 0), interrupted]);
  } finally {
    await stage.close();
  }
}

/** @throws {InvalidArgumentError} */
function parseNumber(value: string): number {
  if (!/^[1-9]\d*$/.test(value)) throw new InvalidArgumentError('Write a positive integer.');
  return Number(value);
}

const subjects = Object.keys(SUBJECTS);
const command = new Command('npm run bench --')
  .option('--quick', '2 runs and small sizes: for a first impression only')
  .addOption(new Option('--only <subject...>', 'subjects to measure').choices(subjects).default(subjects, 'all'))
  .option('--runs <number>', 'counted runs, 5 by default', parseNumber)
  .option('--rows <number>', 'rows of import and queries, 1,000,000 by default', parseNumber)
  .option('--request <text>', 'only measurements whose name contains it, for example "GET one row"', '')
  .option('--profile <directory>', 'write CPU profiles of the service and the floors (slower: compare only ratios)');

try {
  await run(command.parse().opts<Options>());
} catch (error) {
  process.stderr.write(`${(error as Error).stack}\n`);
  process.exitCode = 1;
}
// After an interruption, open requests would wait for responses forever.
process.exit();
