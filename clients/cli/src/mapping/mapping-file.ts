import type { ColumnDefinition, Entity } from '@atrium/client';
import { z } from 'zod';
import { UsageError } from '../exit-codes.js';
import type { Io } from '../io.js';
import { COLUMN_TYPES } from '../../../../packages/tabular/src/coercions.js';
import { needsTimezone } from '../../../../packages/tabular/src/dialect.js';
import { readDocument } from '../files/read-document.js';
import { DATE_FORMAT, DIALECT } from '../import/load-flags.js';

const VALUE = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** An object with any keys, such as `__proto__`, which `z.record` drops. */
const toEntries = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : value;

const COLUMN = z.strictObject({
  /** The column of the file; omitted with `value`. */
  from: z.string().optional(),
  key: z.string().optional(),
  name: z.string().optional(),
  type: z.enum(COLUMN_TYPES).default('text'),
  primaryKey: z.boolean().optional(),
  required: z.boolean().optional(),
  /** The format of dates, for example `DD.MM.YYYY`, or of date-times in `timezone`. */
  format: DATE_FORMAT.optional(),
  /** A constant for all rows. */
  value: VALUE.optional(),
  /** Replaces values. */
  map: z.preprocess(toEntries, z.array(z.tuple([z.string(), VALUE]))).optional(),
  options: z.looseObject({}).optional(),
});

/** The formats of dates are those of the columns. */
const RULES = DIALECT.omit({ dateFormat: true }).extend({
  trim: z.boolean().optional(),
  nullValues: z.array(z.string()).optional(),
});

const TABLE = RULES.extend({ columns: z.array(COLUMN).min(1) });

const FILE = RULES.extend({
  columns: z.array(COLUMN).min(1).optional(),
  tables: z
    .record(z.string().regex(/^(location|asset|list)\/./, 'Write entity/name, for example asset/Equipment.'), TABLE)
    .optional(),
}).refine((file) => (file.columns === undefined) !== (file.tables === undefined), 'Write columns, or tables.');

export type MappedColumn = z.infer<typeof COLUMN>;
/** How to convert the rows of a file for one table. */
export interface Mapping extends z.infer<typeof TABLE> {
  /**
   * The formats of dates that apply to all columns: formats with the same separators and another order, or that
   * contradict ISO 8601, are not among them.
   */
  dateFormats?: string[];
}

/**
 * @returns the mapping of a table, and the entity of the table if the file has mappings of several tables
 * @throws {UsageError} if the file is invalid or does not have the table.
 */
export async function readMapping(
  path: string,
  entity: Entity | undefined,
  table: string,
  io: Io,
): Promise<{ mapping: Mapping; entity: Entity | undefined }> {
  const { tables = {}, columns, ...rules } = await readDocument(FILE, path, 'mapping file', io);
  if (columns) return { mapping: { ...rules, columns }, entity };
  const names = Object.keys(tables);
  const ending = `${entity ?? ''}/${table}`.toLowerCase();
  const [found, other] = names.filter((name) =>
    entity ? name.toLowerCase() === ending : name.toLowerCase().endsWith(ending),
  );
  if (found === undefined)
    throw new UsageError(`${path} has no mapping for the table "${table}". It has ${names.join(', ')}.`);
  if (other !== undefined) throw new UsageError(`${path} has mappings for ${found} and ${other}. Set --entity.`);
  return { mapping: { ...rules, ...tables[found]! }, entity: found.split('/')[0] as Entity };
}

/** The column of the file. */
export function sourceOf({ from, name, key }: MappedColumn): string {
  return from ?? name ?? key ?? '';
}

/** The key or the name of the column of the table. The service derives the key of a new column from its name. */
export function targetOf({ key, name, from }: MappedColumn): string {
  return key ?? name ?? from ?? '';
}

const ISO = /^YYYY-?MM-?DD$/;
/** Formats that may read a date of ISO 8601 differently, such as `YYYY-DD-MM` and `DDMMYYYY`. */
const LIKE_ISO = /^(?:YYYY-D+-M+|[YMD]+)$/;

/** The formats of the columns without those that read a date of another column differently. */
export function collectDateFormats(columns: readonly MappedColumn[]): string[] {
  const formats = [
    ...new Set(columns.flatMap(({ format }) => (format === undefined || ISO.test(format) ? [] : [format]))),
  ];
  const separatorsOf = (format: string): string => format.replace(/[YMDHms]+/g, '');
  return formats.filter(
    (format) =>
      !LIKE_ISO.test(format) &&
      formats.every((other) => other === format || separatorsOf(other) !== separatorsOf(format)),
  );
}

/** @throws {UsageError} if a format has a time, and the timezone is not known. */
export function requireTimezone(formats: readonly string[] = [], timezone: string | undefined): void {
  const format = formats.find(needsTimezone);
  if (format === undefined || timezone !== undefined) return;
  throw new UsageError(
    `The date format "${format}" has a time. Set --timezone, or timezone in the mapping file, for example Europe/Vienna.`,
  );
}

export function toDefinition({ key, name, from, type, primaryKey, required, options }: MappedColumn): ColumnDefinition {
  return { key, name: name ?? from ?? key ?? '', type, primaryKey, required, options };
}
