import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { UsageError } from '../exit-codes.js';
import { FILE_KINDS } from '../files/file-kinds.js';
import { parseDocument } from '../mapping/parse-document.js';

const CONFIG = z.strictObject({
  mapping: z.string().optional(),
  tables: z
    .array(
      z.strictObject({
        file: z.string(),
        table: z.string(),
        entity: z.enum(['location', 'asset', 'list']).optional(),
        mapping: z.string().optional(),
        layout: z.string().optional(),
        maxDeletions: z.string().optional(),
        onDuplicate: z.enum(['error', 'first', 'last']).optional(),
        create: z.boolean().optional(),
        key: z.string().optional(),
        /** How the file is read, as the flags with the same names. */
        format: z.enum(FILE_KINDS).optional(),
        encoding: z.string().optional(),
        delimiter: z.string().optional(),
        quote: z.string().optional(),
        sheet: z.string().optional(),
        headerRow: z.int().min(1).optional(),
        decimal: z.enum(['.', ',']).optional(),
        thousands: z.enum(['.', ',', ' ', "'"]).optional(),
        dateFormat: z.array(z.string()).optional(),
        /** The part of the table that the file replaces. */
        under: z.string().optional(),
        filter: z.array(z.string()).optional(),
        results: z.string().optional(),
      }),
    )
    .min(1),
});

export type SyncEntry = z.infer<typeof CONFIG>['tables'][number];

/** The tables of a night. Paths are relative to the configuration file. */
export async function readSyncConfig(path: string): Promise<SyncEntry[]> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(`The configuration ${path} does not exist or cannot be read.`);
  });
  const { mapping, tables } = await parseDocument(CONFIG, text, path);
  const absolute = (file: string): string => resolve(dirname(path), file);
  return tables.map((entry) => {
    const own = entry.mapping ?? mapping;
    return {
      ...entry,
      file: absolute(entry.file),
      ...(own !== undefined && { mapping: absolute(own) }),
      ...(entry.layout !== undefined && { layout: absolute(entry.layout) }),
      ...(entry.results !== undefined && { results: absolute(entry.results) }),
    };
  });
}
