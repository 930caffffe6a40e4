import { once } from 'node:events';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
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

const HELP = `
Usage: npm run bench -- [options]

  --quick          2 runs and small sizes: for a first impression only
  --only SUBJECT   ${Object.keys(SUBJECTS).join(', ')}; may be repeated
  --runs N         counted runs (default 5)
  --rows N         rows of import and queries (default 1,000,000)
  --request TEXT   only measurements whose name contains TEXT, for example "GET one row"
  --profile DIR    write CPU profiles of the service and the floors to DIR (slower: compare only ratios)
  --help
`;

/** Parses the command line. @throws Error if an option is invalid */
function readOptions() {
  const [text, flag] = [{ type: 'string' } as const, { type: 'boolean' } as const];
  const only = { type: 'string', multiple: true } as const;
  const options = { quick: flag, only, runs: text, rows: text, request: text, profile: text, help: flag };
  const { quick, only: subjects = Object.keys(SUBJECTS), ...values } = parseArgs({ options }).values;
  const unknown = subjects.find((subject) => !Object.hasOwn(SUBJECTS, subject));
  if (unknown !== undefined) throw new Error(`--only: "${unknown}" is not a subject: see --help.`);
  const toNumber = (value: string) => {
    if (!/^[1-9]\d*$/.test(value)) throw new Error(`"${value}" is not a positive integer: see --help.`);
    return Number(value);
  };
  const runs = toNumber(values.runs ?? (quick ? '2' : '5'));
  const rows = toNumber(values.rows ?? (quick ? '100000' : '1000000'));
  return { ...values, subjects, runs, sizes: { rows, bulkRows: quick ? 20_000 : 60_000, seconds: quick ? 1 : 3 } };
}

const startedAt = Date.now();
const elapsed = () => `${Math.round((Date.now() - startedAt) / 1_000)} s`;
const print = (text: string) => process.stdout.write(`${text}\n\n`);
/** Prints progress to stderr, so that stdout contains only the tables. */
const note = (line: string) => process.stderr.write(`${elapsed().padStart(6)}  ${line}\n`);

async function run({ subjects, runs, sizes, profile, request = '' }: ReturnType<typeof readOptions>): Promise<void> {
  const machine = `${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}, Node ${process.version}`;
  print(`# Benchmark of ${new Date().toISOString().slice(0, 10)}: ${runs} runs, ${machine}`);
  const stage = await Stage.open(profile);
  const measureAll = async () => {
    for (const subject of subjects) {
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

try {
  const options = readOptions();
  if (options.help) process.stdout.write(HELP);
  else await run(options);
} catch (error) {
  process.stderr.write(`${(error as Error).stack}\n`);
  process.exitCode = 1;
}
// After an interruption, open requests would wait for responses forever.
process.exit();
