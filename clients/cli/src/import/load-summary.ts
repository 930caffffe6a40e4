import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { UsageError } from '../exit-codes.js';
import { readText } from '../files/read-file.js';
import { type Io, toAbsolute } from '../io.js';
import type { ImportPlan } from './import-plan.js';
import { LOAD, type LoadFlags } from './load-flags.js';
import { SUMMARY_FILE } from './result-files.js';

/** How the values of a load were read. A retry reads the rejected rows with these options. */
const OPTIONS = LOAD.pick({
  mapping: true,
  decimal: true,
  thousands: true,
  dateFormat: true,
  timezone: true,
  onDuplicate: true,
})
  .extend({ entity: LOAD.shape.entity.unwrap() })
  .strip();

/** The fields of `summary.json` that later commands need. */
const SUMMARY = z.object({
  table: z.string(),
  batches: z.array(z.string()),
  proposals: z.array(z.string()),
  received: z.number().default(0),
  rejected: z.number().default(0),
  /** Absent if the load has failed, or was not executed. */
  isStored: z.boolean().optional(),
  options: OPTIONS.optional(),
  /** Of a load that has failed, or was not executed. */
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});

type RetryOptions = z.infer<typeof OPTIONS>;
type LoadSummary = z.infer<typeof SUMMARY>;

export function toRetryOptions({ table, mapping, mappingPath }: ImportPlan, flags: LoadFlags, io: Io): RetryOptions {
  const { entity } = table;
  // The flags take precedence over the mapping.
  if (mappingPath !== undefined) return OPTIONS.parse({ ...flags, entity, mapping: toAbsolute(mappingPath, io) });
  const { decimal, thousands, dateFormats = [], timezone } = mapping;
  const dateFormat = dateFormats.length > 0 ? dateFormats : undefined;
  return { entity, decimal, thousands, dateFormat, timezone, onDuplicate: flags.onDuplicate };
}

/** @throws {UsageError} */
export async function readLoadSummary(directory: string, io: Io): Promise<LoadSummary> {
  const path = join(directory, SUMMARY_FILE);
  const text = await readText(path, io, path, ' Name the folder of --results.');
  const summary = parseSummary(text);
  if (summary) return summary;
  throw new UsageError(`${path} is not the summary of a load. Name the folder of --results.`);
}

/** @returns undefined if it is not the text of a `summary.json` that a load has written */
export function parseSummary(text: string): LoadSummary | undefined {
  try {
    return SUMMARY.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

interface Retry {
  file: string;
  flags: RetryOptions & { table: string; results: string };
}

/** Finds the rejected rows of a load, and chooses a folder for the results of their import. @throws {UsageError} */
export async function findRetry(directory: string, io: Io, dryRun = false): Promise<Retry> {
  const { table, options, error, isStored, proposals } = await readLoadSummary(directory, io);
  // The process may have been killed between two rows.
  if (error)
    throw new UsageError(`${directory} does not have all rejected rows: ${error.message} Repeat the load instead.`);
  if (!isStored && proposals.length === 0)
    throw new UsageError(
      `${directory}: the load stored none of its valid rows. Correct the file and run the load again. A retry is for loads with --on-error continue.`,
    );
  const [lines, csv] = [join(directory, 'rejected.ndjson'), join(directory, 'rejected.csv')];
  const file = (await exists(lines, io)) ? lines : csv;
  if (!options || !(await exists(file, io)))
    throw new UsageError(`${directory} has no rejected.csv or rejected.ndjson.`);
  // A dry run writes into a folder of its own within that of the load.
  const results = dryRun ? directory : join(directory, `retry-${(await findLastRetry(directory, io)) + 1}`);
  return { file, flags: { ...options, table, results } };
}

/** The folders with the results of `--retry-rejected`. */
export const RETRY_FOLDER = /^retry-(\d+)$/;

/** @returns 0 if there is none */
async function findLastRetry(directory: string, io: Io): Promise<number> {
  const names = await readdir(toAbsolute(directory, io)).catch(() => []);
  return Math.max(0, ...names.map((name) => Number(RETRY_FOLDER.exec(name)?.[1] ?? 0)));
}

/**
 * The folder of the last retry that has stored its valid rows and has read all rejected rows: the others are corrected.
 * Without such a retry that of the load.
 */
export async function findLastResults(directory: string, io: Io): Promise<string> {
  const { rejected } = await readLoadSummary(directory, io);
  for (let count = await findLastRetry(directory, io); count > 0; count--) {
    const retry = join(directory, `retry-${count}`);
    const summary = await readLoadSummary(retry, io).catch(() => undefined);
    if (summary?.isStored && !summary.error && summary.received >= rejected) return findLastResults(retry, io);
  }
  return directory;
}

const exists = (path: string, io: Io): Promise<boolean> =>
  access(toAbsolute(path, io)).then(
    () => true,
    () => false,
  );
