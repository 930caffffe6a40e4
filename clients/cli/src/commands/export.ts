import { randomUUID } from 'node:crypto';
import { lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { parseConditions } from '../conditions.js';
import { UsageError } from '../exit-codes.js';
import { toPathError } from '../files/written-paths.js';
import { toAbsolute, writeBody } from '../io.js';
import { asOfOption, collect, entityOption } from '../options.js';
import { formatCount } from '../output.js';
import { Option } from '@commander-js/extra-typings';
import type { Program, Runner } from '../runner.js';

const FORMATS = ['csv', 'ndjson', 'xlsx'] as const;
type Format = (typeof FORMATS)[number];

/** Formats by the endings of names, and what is not written. */
const ENDINGS: ReadonlyMap<string, Format> = new Map([
  ['csv', 'csv'],
  ['txt', 'csv'],
  ['ndjson', 'ndjson'],
  ['jsonl', 'ndjson'],
  ['xlsx', 'xlsx'],
]);
const NOT_WRITTEN = /^(?:json|xls|xlsm|xlsb|ods|tsv|parquet|xml|html?|pdf|gz|zip)$/;

export function addExportCommand(program: Program, { onTable }: Runner): void {
  program
    .command('export <table>')
    .description('write the rows of a table')
    .addOption(entityOption())
    .addOption(new Option('--format <format>', 'csv by default; ndjson with --json').choices(FORMATS))
    .option('--filter <condition>', "for example 'weight>=100' or name~pump; repeatable", collect)
    .option('--under <key>', 'this row and its subtree')
    .addOption(asOfOption())
    .option('--output <file>', 'instead of standard output')
    .action(
      onTable(async (context, { filter = [], under, asOf, output: file, ...flags }) => {
        const { table, io, output, signal } = context;
        const query = { filter: parseConditions(filter), under, asOf, signal };
        const format = flags.format ?? findFormat(file, output.json);
        const write = async (target: Writable, end: boolean): Promise<void> => {
          if (format !== 'xlsx') return writeBody(await table.export({ ...query, format }), target, end);
          const { writeWorkbook } = await import('../files/excel.js');
          const columns = (await table.describe()).columns.map(({ key }) => key);
          return writeWorkbook(columns, table.rows(query), target, end);
        };
        if (file === undefined) return write(io.stdout, false);
        const bytes = await replaceFile(toAbsolute(file, io), write).catch((error: unknown) => {
          throw toPathError(error, file, io);
        });
        const size = `${formatCount(bytes)} bytes`;
        output.result(
          { table: table.name, format, file, bytes },
          () => `${table.entity}/${table.name} → ${file} (${size})\n`,
        );
      }),
    );
}

/** @throws {UsageError} if the name of the file promises a format that is not written */
function findFormat(file = '', asJson: boolean): Format {
  const ending = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? '';
  if (NOT_WRITTEN.test(ending))
    throw new UsageError(`${file}: ".${ending}" is not written. Use .csv, .ndjson or .xlsx, or set --format.`);
  return ENDINGS.get(ending) ?? (asJson ? 'ndjson' : 'csv');
}

/** Files of the system, such as that of standard output, which is another file after a redirection. */
const OF_SYSTEM = /^\/(?:dev|proc)\//;

/**
 * An export that breaks off does not replace the former file. A link remains, and so does the mode of its file.
 *
 * @returns the size of the file
 * @throws {UsageError} if there is something else than a file
 */
async function replaceFile(path: string, write: (target: Writable, end: boolean) => Promise<void>): Promise<number> {
  const file = await realpath(path).catch(() => path);
  const former = await lstat(file).catch(() => undefined);
  if (OF_SYSTEM.test(path) || (former && !former.isFile()))
    throw new UsageError(`${path} is not a file. Omit --output, and redirect or pipe standard output.`);
  // Several exports may write one file: the last one replaces it.
  const part = `${file}.${randomUUID()}.part`;
  const handle = await open(part, 'wx', former ? 0o600 : undefined);
  try {
    // The mode of the former file is for its owner and group.
    if (former) {
      await handle.chown(former.uid, former.gid).catch(() => undefined);
      await handle.chmod(former.mode & 0o777);
    }
    await write(handle.createWriteStream(), true);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    // An export may fail before it writes.
    await handle.close();
  }
  return (await stat(file)).size;
}
