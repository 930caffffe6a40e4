import { parseArgs } from 'node:util';

export const SUBJECTS = [
  'bulk',
  'import',
  'export',
  'queries',
  'workspaces',
  'webhook',
  'pages',
  'auth',
  'tokens',
  'memory',
  'notes',
  'uploads',
  'analytics',
] as const;
export type Subject = (typeof SUBJECTS)[number];

/** What is measured, and how much of it. */
export interface Options {
  subjects: readonly Subject[];
  /** Runs that count; one more comes first, to warm up. */
  runs: number;
  /** Rows a request of the bulk measurements. */
  batchSizes: readonly number[];
  connections: readonly number[];
  /** Rows of an import, an export, and of the table that is queried. */
  importRows: number;
  /** Workspaces with four tables each. */
  workspaces: number;
  /** Rows that one bulk measurement writes at least. */
  bulkRows: number;
  /** Rows of the table that is paged through. */
  pagedRows: number;
  /** Seconds that one measurement of authenticated requests takes. */
  authenticationSeconds: number;
  /** Users that sign in, ten times a run each. */
  tokenUsers: number;
  /** Notes of each kind that are created a run. */
  notes: number;
  /** Notes in the list that is read. */
  listedNotes: number;
  /** Where the service and the floors leave their CPU profiles when they end. */
  profileDir?: string;
}

const HELP = `
Usage: npm run bench -- [options]

  --quick             2 runs and less of everything: for a first look, not for conclusions
  --only SUBJECT      ${SUBJECTS.join(', ')}; may be repeated
  --runs N            runs that count (default 5)
  --batch ROWS        bulk and webhook with this batch size alone; may be repeated
  --connections N     bulk and pages with this many connections alone; may be repeated
  --rows N            import, export and queries with as many rows (default 1,000,000)
  --workspaces N      workspaces with as many workspaces of four tables each (default 2,500)
  --profile DIR       CPU profiles of the service and the floors into DIR (they cost speed: ratios only)
  --help
`;

/** Reads the command line. Ends the process where it asks for help, or is at fault. */
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
        workspaces: { type: 'string' },
        profile: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) end(0, HELP);
    const { quick } = values;
    return {
      subjects: values.only?.map(subjectOf) ?? SUBJECTS,
      runs: values.runs ? positive('runs', values.runs) : quick ? 2 : 5,
      batchSizes: values.batch?.map((rows) => positive('batch', rows)) ?? [1_000, 5_000, 20_000],
      connections: values.connections?.map((count) => positive('connections', count)) ?? [1, 4],
      importRows: values.rows ? positive('rows', values.rows) : quick ? 100_000 : 1_000_000,
      workspaces: values.workspaces ? positive('workspaces', values.workspaces) : quick ? 100 : 2_500,
      bulkRows: quick ? 20_000 : 60_000,
      pagedRows: quick ? 20_000 : 50_000,
      authenticationSeconds: quick ? 1 : 3,
      tokenUsers: quick ? 20 : 100,
      notes: quick ? 200 : 1_000,
      listedNotes: quick ? 10_000 : 100_000,
      ...(values.profile ? { profileDir: values.profile } : {}),
    };
  } catch (error) {
    return end(1, `${(error as Error).message}\n${HELP}`);
  }
}

function subjectOf(name: string): Subject {
  const subject = SUBJECTS.find((each) => each === name);
  if (!subject) throw new Error(`--only takes ${SUBJECTS.join(', ')}; this is ${name}.`);
  return subject;
}

function positive(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new Error(`--${option} takes a whole number from 1 on; this is ${text}.`);
  return number;
}

function end(status: number, text: string): never {
  (status === 0 ? process.stdout : process.stderr).write(text);
  process.exit(status);
}
