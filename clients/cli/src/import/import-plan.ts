import type { ColumnDefinition, FileOptions, Table, TableClient } from '@atrium/client';
import { normalizeName } from '../../../../packages/tabular/src/normalization.js';
import { findColumn } from '../columns.js';
import { findTableIfExists, type WorkspaceContext } from '../context.js';
import { FileError, UsageError } from '../exit-codes.js';
import { SourceFile } from '../files/source-file.js';
import { ERROR_COLUMNS } from '../files/source-row.js';
import { compileMapping, type RowConversion } from '../mapping/convert-row.js';
import { inferColumn, inferDialect } from '../mapping/infer-dialect.js';
import {
  collectDateFormats,
  type MappedColumn,
  type Mapping,
  readMapping,
  requireTimezone,
  sourceOf,
  targetOf,
  toDefinition,
} from '../mapping/mapping-file.js';
import type { LoadFlags, TableLoadFlags } from './load-flags.js';
import { findFileOptions } from './pass-through.js';
import { requireUniqueKey, surveyColumns } from './survey.js';

/** A file, the table that it is for, and how its rows become rows of the table. */
export interface ImportPlan extends RowConversion {
  source: SourceFile;
  table: TableClient;
  exists: boolean;
  mapping: Mapping;
  /** The file with the mapping. */
  mappingPath: string | undefined;
  /** Columns to create, with `--create`. */
  columns: ColumnDefinition[];
  /** The columns to create that the table does not have. */
  addedColumns: ColumnDefinition[];
  /** The key of the primary key; before the table exists, its name. */
  primaryKey: string;
  /** The columns of the file. */
  header: string[];
  /** How the service reads the file as it is; undefined if it cannot. */
  fileOptions: FileOptions | undefined;
  /** Sentences for the user: what was detected in the file, and by which values. */
  evidence: string[];
}

/** Detects the format of a file, and finds or infers the columns of its table. @throws {UsageError} */
export async function planImport(
  { client, io }: WorkspaceContext,
  file: string,
  { table: name, ...flags }: TableLoadFlags,
): Promise<ImportPlan> {
  const source = await SourceFile.open(file, flags, io);
  try {
    const mapped = flags.mapping === undefined ? undefined : await readMapping(flags.mapping, flags.entity, name, io);
    const entity = mapped?.entity ?? flags.entity;
    const table = await findTableIfExists(client, name, entity);
    const existing = await table?.describe();
    const isMissing = !existing && !flags.create;
    const planned = mapped
      ? completeMapping(source, existing, mapped.mapping, flags)
      : inferMapping(source, existing, name, flags);
    const { mapping, evidence, header } = await planned.catch((error: unknown) => {
      // The name of the table may be wrong: the columns of a new table are not what the user asked for.
      throw isMissing && error instanceof UsageError ? missingTable(name, []) : error;
    });
    if (isMissing) throw missingTable(name, mapping.columns);
    if (source.isRejectedFile && source.kind === 'csv') requireRejectedRows(existing, header);
    requireDistinctColumns(source, mapping, existing, mapped !== undefined);
    const primaryKey = findPrimaryKey(mapping, existing, name);
    const columns = flags.create ? mapping.columns.map(toDefinition) : [];
    return {
      source,
      table: table ?? client.table(entity ?? 'asset', name),
      exists: existing !== undefined,
      mapping,
      mappingPath: flags.mapping,
      columns,
      addedColumns: columns.filter((column) => !existing || !findColumn(existing, column.key ?? column.name)),
      primaryKey,
      ...compileMapping(mapping, primaryKey),
      header,
      // Objects may have keys that a mapping leaves out.
      fileOptions: mapped && source.kind !== 'csv' ? undefined : findFileOptions(source, mapping, header),
      evidence: [...source.evidence, ...evidence],
    };
  } catch (error) {
    await source.close();
    throw error;
  }
}

/**
 * The first columns of the file are those of rejected rows. Columns of the user may have the same names.
 *
 * @param header the other columns. Those of the user that have such a name are among them.
 * @throws {UsageError} if both are possible
 */
function requireRejectedRows(existing: Table | undefined, header: readonly string[]): void {
  const own = ERROR_COLUMNS.find((name) => !existing || (findColumn(existing, name) && !header.includes(name)));
  if (own === undefined) return;
  const cause = existing ? `the table has a column "${own}"` : 'the table does not exist';
  const advice = existing ? '' : 'To retry rejected rows, import all rows of the load first. ';
  throw new FileError(
    `The file begins with the columns ${ERROR_COLUMNS.join(', ')}, which are those of rejected rows and not imported, but ${cause}. ` +
      `${advice}If they are yours, rename or remove them.`,
  );
}

/**
 * Requires that each column of the table receives values of one column of the file at most. Names that no column reads
 * may occur several times.
 *
 * @param isWritten Has the user written the mapping? Of inferred columns, each object of NDJSON may have another name.
 * @throws {UsageError} with the names of the file
 */
function requireDistinctColumns(
  { kind, header, headerLine }: SourceFile,
  { columns }: Mapping,
  existing: Table | undefined,
  isWritten: boolean,
): void {
  const position = headerLine === undefined ? '' : `Line ${headerLine}: `;
  const repeated = columns.map(sourceOf).find((name) => header.indexOf(name) !== header.lastIndexOf(name));
  if (kind !== 'ndjson' && repeated !== undefined)
    throw new FileError(`${position}the header has the name "${repeated}" twice. Rename or remove one of the columns.`);
  if (kind === 'ndjson' && !isWritten) return;
  const sources = new Map<string, string>();
  for (const column of columns) {
    const target = targetOf(column);
    const key = (existing && findColumn(existing, target)?.key) ?? normalizeName(target);
    const source = column.value === undefined ? `"${sourceOf(column)}"` : 'a constant';
    const other = sources.get(key);
    if (other !== undefined)
      throw new FileError(
        `${position}${other} and ${source} are both for the column "${key}". Rename or remove one of them, or map one with --mapping.`,
      );
    sources.set(key, source);
  }
}

interface PlannedMapping {
  mapping: Mapping;
  evidence: string[];
  header: string[];
}

/** Adds the types of the table to a mapping of the user. */
async function completeMapping(
  source: SourceFile,
  existing: Table | undefined,
  mapping: Mapping,
  { mapping: path = '', dateFormat, ...flags }: LoadFlags,
): Promise<PlannedMapping> {
  const { decimal = mapping.decimal, thousands = mapping.thousands, timezone = mapping.timezone } = flags;
  const columns = mapping.columns.map((column): MappedColumn => {
    const stored = existing && findColumn(existing, targetOf(column));
    return stored ? { ...column, key: stored.key, type: stored.type } : column;
  });
  const read = columns.filter(({ value }) => value === undefined).map(sourceOf);
  const header = source.kind === 'ndjson' ? [...new Set(read)] : [...(await source.readHeader())];
  // Each object of NDJSON may lack keys.
  if (source.kind !== 'ndjson') requireColumns(mapping, header, path, source.name);
  requireTimezone([...columns.flatMap(({ format = [] }) => format), ...(dateFormat ?? [])], timezone);
  const dateFormats = dateFormat ?? collectDateFormats(columns);
  return { mapping: { ...mapping, decimal, thousands, dateFormats, timezone, columns }, evidence: [], header };
}

/** Infers a mapping of all columns of the file from its header, its values and the columns of the table. */
async function inferMapping(
  source: SourceFile,
  existing: Table | undefined,
  name: string,
  flags: LoadFlags,
): Promise<PlannedMapping> {
  const findStored = (column: string) => existing && findColumn(existing, column);
  const columns = await surveyColumns(source, flags, (column) => findStored(column)?.type);
  const unknown = columns.filter(({ type }) => type === undefined).map((column) => column.name);
  if (existing && !flags.create && unknown.length > 0)
    throw new UsageError(
      `The table does not have these columns of ${source.name}: ${unknown.join(', ')}. Add them with --create, or map them with --mapping.`,
    );
  // A key is a text, whatever its values look like.
  const key = existing ? undefined : (flags.key ?? columns[0]?.name);
  const dialect = inferDialect(
    columns.filter((column) => column.name !== key),
    flags,
    source.isCommaSeparated,
  );
  const mapped = columns.map((column): MappedColumn => {
    const stored = findStored(column.name);
    if (!stored) return inferColumn(column, dialect);
    return { from: column.name, name: column.name, key: stored.key, type: stored.type, primaryKey: stored.primaryKey };
  });
  if (!existing && mapped.length > 0) await choosePrimaryKey(source, mapped, flags);
  const { evidence, ...rules } = dialect;
  const header = source.kind === 'ndjson' ? columns.map((column) => column.name) : [...source.header];
  return { mapping: { ...rules, columns: mapped }, evidence, header };
}

/** The first column, whose values must be unique without a rule for duplicates, or the one that the user names. */
async function choosePrimaryKey(
  source: SourceFile,
  columns: MappedColumn[],
  { key: name, onDuplicate = 'error' }: LoadFlags,
): Promise<void> {
  const chosen = name === undefined ? columns[0]! : columns.find((column) => column.from === name);
  if (!chosen) throw new UsageError(`The file has no column "${name!}" for --key.`);
  if (name === undefined) await requireUniqueKey(source, sourceOf(chosen), onDuplicate);
  Object.assign(chosen, { type: 'text', primaryKey: true });
}

/**
 * @throws {UsageError} if the mapping reads columns that the file lacks: a typing error would leave their values
 *   unchanged
 */
function requireColumns({ columns }: Mapping, header: string[], path: string, file: string): void {
  const missing = columns.flatMap(({ from }) => (from === undefined || header.includes(from) ? [] : [from]));
  if (missing.length > 0)
    throw new UsageError(
      `${path} reads columns that ${file} does not have: ${missing.join(', ')}. The file has: ${header.join(', ')}.`,
    );
}

function findPrimaryKey({ columns }: Mapping, existing: Table | undefined, name: string): string {
  if (existing) return existing.columns.find((column) => column.primaryKey)!.key;
  const column = columns.find(({ primaryKey }) => primaryKey) ?? columns.find(({ type }) => type === 'text');
  if (column) return targetOf(column);
  throw new UsageError(`No column can be the primary key of "${name}". Set primaryKey: true in a mapping file.`);
}

function missingTable(name: string, columns: readonly MappedColumn[]): UsageError {
  const lines = columns.map((column) => `\n  ${sourceOf(column)}: ${describeType(column)}`);
  return new UsageError(
    `The table "${name}" does not exist. \`atrium tables\` lists the tables of the workspace; ` +
      `--create would create it${lines.length > 0 ? ` with these columns:${lines.join('')}` : '.'}`,
  );
}

export function describeType({ type, format, primaryKey }: MappedColumn): string {
  return `${type}${format ? ` (${format})` : ''}${primaryKey ? ', primary key' : ''}`;
}
