import { parseArgs } from 'node:util';

export const SUBJECTS = [
  'bulk',
  'import',
  'cli',
  'sync',
  'history',
  'growth',
  'queries',
  'small',
  'limits',
  'policies',
  'events',
  'overload',
  'cluster',
] as const;
export type Subject = (typeof SUBJECTS)[number];

/** Subjects and sizes of the measurements. */
export interface Options {
  subjects: readonly Subject[];
  /** Counted runs, after one warm-up run. */
  runs: number;
  /** Rows per request of the bulk measurements. */
  batchSizes: readonly number[];
  connections: readonly number[];
  /** Rows of an import. */
  importRows: number;
  /** Former rows that are removed in the background. */
  formerRows: number;
  /** Rows of a table that is replaced. */
  replacedRows: number;
  /** Minimum of rows that one bulk measurement writes. */
  bulkRows: number;
  /** Duration of one measurement of events or of the capacity in seconds. */
  authenticationSeconds: number;
  /** Only small requests, and only comparisons of queries with SQL, whose name contains this text. */
  request: string;
  /** Folder for the CPU profiles of the service and the floors. */
  profileDir?: string;
}

const HELP = `
Usage: npm run bench -- [options]

  --quick             2 runs and small sizes: for a first impression only
  --only SUBJECT      ${SUBJECTS.join(', ')}; may be repeated
  --runs N            counted runs (default 5)
  --batch ROWS        only this batch size for bulk; may be repeated
  --connections N     only this number of connections for bulk; may be repeated
  --rows N            rows of import, cli, history and queries (default 1,000,000)
  --former-rows N     former rows of history that are removed (default 1,000,000)
  --request TEXT      only small requests and comparisons of queries whose name contains TEXT, for example "GET one row"
  --profile DIR       write CPU profiles of the service and the floors to DIR (slower: compare only ratios)
  --help
`;

/** Parses the command line. Exits the process for `--help` and for invalid options. */
export function readOptions(args: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true },
        runs: { type: 'string' },
        batch: { type: 'string', multiple: true },
        connections: { type: 'string', multiple: true },
        rows: { type: 'string' },
        'former-rows': { type: 'string' },
        request: { type: 'string', default: '' },
        profile: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) exit(0, HELP);
    const { quick } = values;
    return {
      subjects: values.only?.map(parseSubject) ?? SUBJECTS,
      runs: values.runs ? parsePositive('runs', values.runs) : quick ? 2 : 5,
      batchSizes: values.batch?.map((rows) => parsePositive('batch', rows)) ?? [1_000, 5_000, 20_000],
      connections: values.connections?.map((count) => parsePositive('connections', count)) ?? [1, 4],
      importRows: values.rows ? parsePositive('rows', values.rows) : quick ? 100_000 : 1_000_000,
      formerRows: values['former-rows']
        ? parsePositive('former-rows', values['former-rows'])
        : quick
          ? 100_000
          : 1_000_000,
      replacedRows: quick ? 20_000 : 100_000,
      bulkRows: quick ? 20_000 : 60_000,
      authenticationSeconds: quick ? 1 : 3,
      request: values.request,
      ...(values.profile ? { profileDir: values.profile } : {}),
    };
  } catch (error) {
    return exit(1, `${(error as Error).message}\n${HELP}`);
  }
}

function parseSubject(name: string): Subject {
  const subject = SUBJECTS.find((each) => each === name);
  if (!subject) throw new Error(`--only: "${name}" is not a subject. Use one of ${SUBJECTS.join(', ')}.`);
  return subject;
}

function parsePositive(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${option}: "${text}" is not a positive integer.`);
  return number;
}

function exit(status: number, text: string): never {
  (status === 0 ? process.stdout : process.stderr).write(text);
  process.exit(status);
}
