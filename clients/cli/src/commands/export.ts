import { randomUUID } from 'node:crypto';
import { type FileHandle, lstat, open, realpath, rename, rm } from 'node:fs/promises';
import type { Stats } from 'node:fs';
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
        const bytes = await writeOutput(toAbsolute(file, io), write).catch((error: unknown) => {
          throw toPathError(error, file, io);
        });
        // Nothing follows the rows: the file may be standard output.
        if (bytes === undefined) return;
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

type Write = (target: Writable, end: boolean) => Promise<void>;

/**
 * An export that breaks off does not replace the former file. A link remains, and so do the mode and, if permitted, the
 * owner of its file. Devices and pipes are not replaced: they receive the rows.
 *
 * @returns the size of the file; undefined if it is not a regular file
 */
async function writeOutput(path: string, write: Write): Promise<number | undefined> {
  const file = await realpath(path).catch(() => path);
  const former = await lstat(file).catch(() => undefined);
  if (former && !former.isFile()) {
    await write((await open(file, 'w')).createWriteStream(), true);
    return undefined;
  }
  const part = `${file}.${randomUUID()}.part`;
  try {
    const handle = await open(part, 'wx', former ? 0o600 : undefined);
    if (former) await copyOwner(former, handle);
    const stream = handle.createWriteStream();
    await write(stream, true);
    await rename(part, file);
    return stream.bytesWritten;
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function copyOwner({ uid, gid, mode }: Stats, handle: FileHandle): Promise<void> {
  await handle.chown(uid, gid).catch(() => undefined);
  await handle.chmod(mode & 0o7777);
}
