import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Entity, RowQuery } from '@atrium/client';
import { findTable, openContext } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import { parseConditions } from './conditions.js';

export interface ExportFlags extends GlobalFlags {
  entity?: Entity;
  format: 'csv' | 'ndjson' | 'xlsx';
  filter?: string[];
  under?: string;
  output?: string;
}

export async function exportTable(name: string, flags: ExportFlags): Promise<void> {
  const { client, output, signal } = await openContext(flags);
  const table = await findTable(client, name, flags.entity);
  const query: RowQuery = {
    filter: parseConditions(flags.filter ?? []),
    ...(flags.under !== undefined && { under: flags.under }),
  };
  if (flags.format === 'xlsx') {
    const { writeWorkbook } = await import('../files/excel.js');
    const columns = (await table.describe()).columns.map(({ key }) => key);
    const rows = await writeWorkbook(columns, table.rows({ ...query, signal }), flags.output);
    output.remark(`${rows} rows exported.`);
    return;
  }
  const stream = await table.export({ ...query, format: flags.format, signal });
  const target = flags.output === undefined ? process.stdout : createWriteStream(flags.output);
  await pipeline(Readable.fromWeb(stream as ReadableStream), target, { end: flags.output !== undefined });
}
