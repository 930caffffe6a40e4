import { open, rename, rm, stat } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Entity, RowQuery } from '@atrium/client';
import { findTable, openContext } from '../context.js';
import { UsageError } from '../exit-codes.js';
import type { GlobalFlags } from '../global-flags.js';
import { parseConditions } from '../conditions.js';
import { toPathError } from '../files/path-errors.js';
import { type Io, toAbsolute } from '../io.js';

export interface ExportFlags extends GlobalFlags {
  entity?: Entity;
  format?: 'csv' | 'ndjson' | 'xlsx';
  filter?: string[];
  under?: string;
  asOf?: string;
  output?: string;
}

/** Formats by the endings of names, and what is not written. */
const ENDINGS: ReadonlyMap<string, ExportFlags['format']> = new Map([
  ['csv', 'csv'],
  ['txt', 'csv'],
  ['ndjson', 'ndjson'],
  ['jsonl', 'ndjson'],
  ['xlsx', 'xlsx'],
]);
const NOT_WRITTEN = /^(?:json|xls|xlsm|xlsb|ods|tsv|parquet|xml|html?|pdf|gz|zip)$/;

/** @throws {UsageError} if the name of the file promises a format that is not written */
function findFormat({ output = '', json }: ExportFlags): NonNullable<ExportFlags['format']> {
  const ending = /\.(\w+)$/.exec(output)?.[1]?.toLowerCase() ?? '';
  if (NOT_WRITTEN.test(ending))
    throw new UsageError(`${output}: ".${ending}" is not written. Use .csv, .ndjson or .xlsx, or set --format.`);
  return ENDINGS.get(ending) ?? (json ? 'ndjson' : 'csv');
}

export async function exportTable(name: string, flags: ExportFlags, io: Io): Promise<void> {
  const { client, output, signal } = await openContext(flags, io);
  const table = await findTable(client, name, flags.entity);
  const query: RowQuery = { filter: parseConditions(flags.filter ?? []), under: flags.under, asOf: flags.asOf };
  const format = flags.format ?? findFormat(flags);
  const write = async (target: Writable, end: boolean): Promise<void> => {
    if (format === 'xlsx') {
      const { writeWorkbook } = await import('../files/excel.js');
      const columns = (await table.describe()).columns.map(({ key }) => key);
      await writeWorkbook(columns, table.rows({ ...query, signal }), target, { end });
      return;
    }
    const stream = await table.export({ ...query, format, signal });
    await pipeline(Readable.fromWeb(stream as ReadableStream), target, { end });
  };
  if (flags.output === undefined) {
    await write(io.stdout, false);
    return;
  }
  // An export that breaks off does not replace the former file.
  const file = toAbsolute(flags.output, io);
  const part = `${file}.part`;
  try {
    await write((await open(part, 'w')).createWriteStream(), true);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw toPathError(error, flags.output, io);
  }
  const { size } = await stat(file);
  output.result(
    { table: table.name, format, file: flags.output, bytes: size },
    () => `${table.entity}/${table.name} → ${flags.output!} (${size.toLocaleString('en')} bytes)\n`,
  );
}
