import type { Scope } from '@atrium/client';
import { z } from 'zod';
import { isDateFormat } from '../../../../packages/tabular/src/dialect.js';
import { isTimezone } from '../../../../packages/tabular/src/instant.js';
import { DECIMALS, DUPLICATE_RULES, ENTITIES, FILE_KINDS, THOUSANDS } from '../choices.js';
import { parseConditions } from '../conditions.js';

const FORMAT_HINT = 'Write YYYY, MM and DD with separators, for example DD.MM.YYYY, or YYYY-MM-DD HH:mm:ss.';
export const DATE_FORMAT = z.string().refine(isDateFormat, FORMAT_HINT);

/** How a file writes its values. What is not set is detected. */
export const DIALECT = z.strictObject({
  decimal: z.enum(DECIMALS).optional(),
  thousands: z.enum(THOUSANDS).optional(),
  dateFormat: z.array(DATE_FORMAT).optional(),
  /** Of formats with a time. */
  timezone: z.string().refine(isTimezone, 'Write an IANA name, for example Europe/Vienna.').optional(),
});

/** How a file is read, and stored in its table: flags of commands, and fields of a configuration. */
export const LOAD = DIALECT.extend({
  entity: z.enum(ENTITIES).optional(),
  mapping: z.string().optional(),
  create: z.boolean().optional(),
  /** The primary key of a new table. */
  key: z.string().optional(),
  format: z.enum(FILE_KINDS).optional(),
  encoding: z.string().optional(),
  delimiter: z.string().optional(),
  quote: z.string().optional(),
  /** The path of the layout of a file with fixed widths. */
  layout: z.string().optional(),
  sheet: z.string().optional(),
  /** The line of the header, from 1. */
  headerRow: z.int().min(1).optional(),
  onDuplicate: z.enum(DUPLICATE_RULES).optional(),
  onError: z.enum(['continue']).optional(),
  maxDeletions: z.string().optional(),
  /** The part of the table that the file replaces. */
  under: z.string().optional(),
  filter: z.array(z.string()).optional(),
  results: z.string().optional(),
});

export type DialectFlags = z.infer<typeof DIALECT>;

/** All flags of loads. Those that differ by table are fields of a configuration, too. */
export type LoadFlags = z.infer<typeof LOAD> & {
  replace?: boolean;
  dryRun?: boolean;
  resume?: boolean;
  /** Can `--resume` continue the command? Not `sync`, nor a load from standard input. */
  isResumable?: boolean;
  yes?: boolean;
};

/** A load of a command, whose table is known. */
export type TableLoadFlags = LoadFlags & { table: string };

/** The part of the table that a file replaces. @throws {UsageError} if a filter is invalid */
export function toScope({ filter, under }: LoadFlags): Scope<Record<string, unknown>> {
  return { filter: filter && parseConditions(filter, { selectsWrites: true }), under };
}
