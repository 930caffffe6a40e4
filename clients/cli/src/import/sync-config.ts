import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { FILE_KINDS } from '../files/file-kinds.js';
import { type Io, toAbsolute } from '../io.js';
import { DATE_FORMAT, TIMEZONE } from '../mapping/mapping-file.js';
import { readDocument } from '../mapping/read-document.js';

/** A file and its table. Other fields are flags with the same names. */
const createEntry = (path: z.ZodType<string>) =>
  z.strictObject({
    file: path,
    table: z.string(),
    entity: z.enum(['location', 'asset', 'list']).optional(),
    mapping: path.optional(),
    layout: path.optional(),
    maxDeletions: z.string().optional(),
    onDuplicate: z.enum(['error', 'first', 'last']).optional(),
    onError: z.enum(['continue']).optional(),
    create: z.boolean().optional(),
    key: z.string().optional(),
    format: z.enum(FILE_KINDS).optional(),
    encoding: z.string().optional(),
    delimiter: z.string().optional(),
    quote: z.string().optional(),
    sheet: z.string().optional(),
    headerRow: z.int().min(1).optional(),
    decimal: z.enum(['.', ',']).optional(),
    thousands: z.enum(['.', ',', ' ', "'"]).optional(),
    dateFormat: z.array(DATE_FORMAT).optional(),
    timezone: TIMEZONE.optional(),
    under: z.string().optional(),
    filter: z.array(z.string()).optional(),
    results: path.optional(),
  });

export type SyncEntry = z.infer<ReturnType<typeof createEntry>>;

/** The tables of a night. Paths are relative to the configuration file. */
export async function readSyncConfig(path: string, io: Io): Promise<SyncEntry[]> {
  const absolute = z.string().transform((file) => resolve(dirname(toAbsolute(path, io)), file));
  const schema = z.strictObject({ mapping: absolute.optional(), tables: z.array(createEntry(absolute)).min(1) });
  const { mapping, tables } = await readDocument(schema, path, 'configuration', io);
  return tables.map((entry) => (mapping === undefined ? entry : { mapping, ...entry }));
}
