import { constants, fstatSync, type Stats } from 'node:fs';
import { type FileHandle, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseConditions } from '../conditions.js';
import type { Context } from '../context.js';
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
        const bytes = await writeOutput(toAbsolute(file, io), write, context).catch((error: unknown) => {
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

/** Of this process: its file receives the rows after what it has. */
const DESCRIPTOR = /^\/(?:dev\/(?:stderr|fd\/\d+)|proc\/self\/fd\/\d+)$/;
const READER_INTERVAL_MS = 100;

/**
 * An export that breaks off does not replace the former file. A link remains, and so do the mode and, if permitted, the
 * owner of its file. Standard output, devices and pipes are not replaced: they receive the rows.
 *
 * @returns the size of the file; undefined if it is not replaced
 */
async function writeOutput(path: string, write: Write, { io, signal }: Context): Promise<number | undefined> {
  const former = await stat(path).catch(() => undefined);
  if (former && isStandardOutput(former)) {
    await write(io.stdout, false);
    return undefined;
  }
  if (former && (!former.isFile() || DESCRIPTOR.test(path))) {
    await writeAndClose(await (former.isFIFO() ? openPipe(path, signal) : open(path, 'a')), write);
    return undefined;
  }
  const file = await followLinks(path);
  const part = `${file}.${io.pid}.part`;
  try {
    const bytes = await writeAndClose(await openPart(part, former), write);
    await rename(part, file);
    return bytes;
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function writeAndClose(handle: FileHandle, write: Write): Promise<number> {
  try {
    const stream = handle.createWriteStream();
    await write(stream, true);
    return stream.bytesWritten;
  } finally {
    // An export may fail before it writes.
    await handle.close();
  }
}

function isStandardOutput({ dev, ino }: Stats): boolean {
  const stdout = fstatSync(1);
  return stdout.dev === dev && stdout.ino === ino;
}

/** Waits for a reader. An `open` that waits could not be interrupted. */
async function openPipe(path: string, signal: AbortSignal): Promise<FileHandle> {
  for (;;) {
    const probe = await open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
    });
    if (probe)
      try {
        return await open(path, 'a');
      } finally {
        await probe.close();
      }
    await sleep(READER_INTERVAL_MS, undefined, { signal });
  }
}

/** The file of links, which may be absent. */
async function followLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const target = await readlink(path).catch(() => '');
    return target ? followLinks(resolve(await realpath(dirname(path)), target)) : path;
  }
}

/** With the owner of the former file and its mode; with the default mode if the owner cannot be set. */
async function openPart(part: string, former?: Stats): Promise<FileHandle> {
  // Of a process that has ended.
  await rm(part, { force: true });
  const handle = await open(part, 'wx', former ? 0o600 : undefined);
  if (!former) return handle;
  await handle.chown(former.uid, former.gid).catch(() => undefined);
  if ((await handle.stat()).uid === former.uid) {
    await handle.chmod(former.mode & 0o7777);
    return handle;
  }
  await handle.close();
  return openPart(part);
}
