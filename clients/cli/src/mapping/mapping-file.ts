import { readFile } from 'node:fs/promises';
import type { ColumnDefinition, ColumnType, Entity } from '@atrium/client';
import { z } from 'zod';
import { UsageError } from '../exit-codes.js';
import { isDateFormat } from './date-formats.js';
import { parseDocument } from './parse-document.js';

const TYPES: readonly ColumnType[] = [
  ...(['text', 'number', 'date', 'checkbox', 'hierarchyParent', 'reference'] as const),
  ...(['locationTag', 'space', 'tagStatus'] as const),
];

const COLUMN = z.strictObject({
  /** The column of the file; omitted with `value`. */
  from: z.string().optional(),
  key: z.string().optional(),
  name: z.string().optional(),
  type: z.enum(TYPES).default('text'),
  primaryKey: z.boolean().optional(),
  required: z.boolean().optional(),
  /** The format of dates, for example `DD.MM.YYYY`. */
  format: z.string().refine(isDateFormat, 'Write YYYY, MM and DD with separators, for example DD.MM.YYYY.').optional(),
  /** A constant for all rows. */
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]).optional(),
  /** Replaces values. */
  map: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
  options: z.looseObject({}).optional(),
});

const RULES = {
  trim: z.boolean().optional(),
  decimal: z.enum([',', '.']).optional(),
  thousands: z.string().max(1).optional(),
  nullValues: z.array(z.string()).optional(),
};

const TABLE = z.strictObject({ ...RULES, columns: z.array(COLUMN).min(1) });

const FILE = z
  .strictObject({
    ...RULES,
    columns: z.array(COLUMN).min(1).optional(),
    tables: z
      .record(z.string().regex(/^(location|asset|list)\/./, 'Write entity/name, for example asset/Equipment.'), TABLE)
      .optional(),
  })
  .refine((file) => (file.columns === undefined) !== (file.tables === undefined), 'Write columns, or tables.');

export type MappedColumn = z.infer<typeof COLUMN>;
/** How to convert the rows of a file for one table. */
export type Mapping = z.infer<typeof TABLE>;

/** @throws {UsageError} if the file is invalid or does not have the table. */
export async function readMapping(path: string, entity: Entity | undefined, table: string): Promise<Mapping> {
  const { tables, columns, ...rules } = await parseMapping(path);
  if (columns) return { ...rules, columns };
  const names = Object.keys(tables ?? {});
  const found = names.find((name) =>
    entity
      ? name.toLowerCase() === `${entity}/${table}`.toLowerCase()
      : name.toLowerCase().endsWith(`/${table}`.toLowerCase()),
  );
  if (found === undefined)
    throw new UsageError(`${path} has no mapping for the table "${table}". It has ${names.join(', ')}.`);
  return { ...rules, ...tables?.[found], columns: tables?.[found]?.columns ?? [] };
}

async function parseMapping(path: string): Promise<z.infer<typeof FILE>> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(`The mapping file ${path} does not exist or cannot be read.`);
  });
  return parseDocument(FILE, text, path);
}

/** The entity of a table in a mapping for several tables. */
export async function readMappedEntity(path: string, table: string): Promise<Entity | undefined> {
  const { tables } = await parseMapping(path);
  const found = Object.keys(tables ?? {}).find((name) => name.toLowerCase().endsWith(`/${table.toLowerCase()}`));
  return found?.split('/')[0] as Entity | undefined;
}

/** The key of a mapped column; the service derives the same one from the name. */
export function keyOf({ key, name, from }: MappedColumn): string {
  return key ?? deriveKey(name ?? from ?? '');
}

/** The rule of the service for keys of columns without one. */
export function deriveKey(name: string): string {
  const derived = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return derived || 'column';
}

export function toDefinition(column: MappedColumn): ColumnDefinition {
  const { type, primaryKey, required, options } = column;
  return {
    key: keyOf(column),
    name: column.name ?? column.from ?? keyOf(column),
    type,
    ...(primaryKey !== undefined && { primaryKey }),
    ...(required !== undefined && { required }),
    ...(options && { options: options }),
  };
}
