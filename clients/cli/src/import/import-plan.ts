import type { AtriumClient, ColumnDefinition, Entity, FileOptions, Table, TableClient } from '@atrium/client';
import { findTableIfExists } from '../context.js';
import { EXIT, UsageError } from '../exit-codes.js';
import { readLayout } from '../files/layout.js';
import type { FileKind } from '../files/file-kinds.js';
import { SourceFile } from '../files/source-file.js';
import { ERROR_COLUMNS } from '../files/source-row.js';
import { compileMapping, type RowConversion } from '../mapping/convert-row.js';
import { inferColumn } from '../mapping/infer-columns.js';
import {
  type DialectFlags,
  inferDialect,
  type InferredDialect,
  type SurveyedColumn,
} from '../mapping/infer-dialect.js';
import {
  collectDateFormats,
  type MappedColumn,
  type Mapping,
  readMappedEntity,
  readMapping,
  sourceOf,
  targetOf,
  toDefinition,
} from '../mapping/mapping-file.js';
import { findFileOptions } from './pass-through.js';
import { requireUniqueKey, surveyColumns } from './survey.js';

/** How the user says a file is read. */
export interface SourceFlags extends DialectFlags {
  entity?: Entity;
  mapping?: string;
  layout?: string;
  format?: FileKind;
  encoding?: string;
  delimiter?: string;
  quote?: string;
  sheet?: string;
  headerRow?: number;
  key?: string;
  create?: boolean;
}

export type { Item } from '../mapping/convert-row.js';

/** A file, the table that it is for, and how its rows become rows of the table. */
export interface ImportPlan extends RowConversion {
  source: SourceFile;
  table: TableClient;
  exists: boolean;
  mapping: Mapping;
  /** Columns to create, with `--create`. */
  columns: ColumnDefinition[];
  /** Those of them that the table does not have. */
  addedColumns: ColumnDefinition[];
  /** The key, or the name before the table exists, of the primary key. */
  primaryKey: string;
  /** The columns of the file. */
  header: string[];
  /** How the service reads the file as it is; undefined if it cannot. */
  fileOptions: FileOptions | undefined;
  /** What proves how the file is read, for people. */
  evidence: string[];
}

/** Opens a file in the format that is detected, or that the flags say. */
export async function openSource(file: string, flags: SourceFlags): Promise<SourceFile> {
  const layout = flags.layout === undefined ? undefined : await readLayout(flags.layout);
  const { format, encoding, delimiter, quote, sheet, headerRow } = flags;
  return SourceFile.open(file, { format, encoding, delimiter, quote, layout, sheet, headerRow });
}

/** Detects the format of a file, and finds or infers the columns of its table. @throws {UsageError} */
export async function planImport(
  client: AtriumClient,
  file: string,
  name: string,
  flags: SourceFlags,
): Promise<ImportPlan> {
  const source = await openSource(file, flags);
  try {
    const mappedEntity = flags.mapping === undefined ? undefined : await readMappedEntity(flags.mapping, name);
    const entity = flags.entity ?? mappedEntity;
    const table = await findTableIfExists(client, name, entity);
    const existing = await table?.describe();
    const { mapping, evidence, header } =
      flags.mapping === undefined
        ? await inferMapping(source, existing, name, flags)
        : await loadMapping(source, existing, flags.mapping, { entity, name, flags });
    if (source.isRejectedFile) requireRejectedRows(existing, header);
    const primaryKey = findPrimaryKey(mapping, existing, name);
    const columns = flags.create ? mapping.columns.map(toDefinition) : [];
    return {
      source,
      table: table ?? client.table(entity ?? 'asset', name),
      exists: existing !== undefined,
      mapping,
      columns,
      addedColumns: columns.filter((column) => !existing || !findColumn(existing, column.key ?? column.name)),
      primaryKey,
      ...compileMapping(mapping, primaryKey),
      header,
      // Objects may have keys that a mapping leaves out.
      fileOptions:
        flags.mapping === undefined || source.kind === 'csv' ? findFileOptions(source, mapping, header) : undefined,
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
  throw new UsageError(
    `The columns ${ERROR_COLUMNS.join(', ')} of the file are those of rejected rows, which are not imported, but ${cause}. ` +
      'Remove or rename them. Nothing was stored.',
  );
}

interface PlannedMapping {
  mapping: Mapping;
  evidence: string[];
  header: string[];
}

/** The mapping of a file, with the types of the table. */
async function loadMapping(
  source: SourceFile,
  existing: Table | undefined,
  path: string,
  { entity, name, flags }: { entity: Entity | undefined; name: string; flags: SourceFlags },
): Promise<PlannedMapping> {
  const { decimal, thousands, dateFormat } = flags;
  const mapping = await readMapping(path, entity, name);
  const columns = mapping.columns.map((column): MappedColumn => {
    const stored = existing && findColumn(existing, targetOf(column));
    return stored ? { ...column, key: stored.key, type: stored.type } : column;
  });
  const header = source.kind === 'ndjson' ? columns.map(sourceOf) : [...(await source.readHeader())];
  // Each object of NDJSON may lack keys.
  if (source.kind !== 'ndjson') requireColumns(mapping, header, path, source.name);
  const formats = dateFormat ?? collectDateFormats(columns);
  const decided = { ...(decimal && { decimal }), ...(thousands && { thousands }), dateFormats: formats };
  return { mapping: { ...mapping, ...decided, columns }, evidence: [], header };
}

/** A mapping of all columns of the file, from its header, its values and the columns of the table. */
async function inferMapping(
  source: SourceFile,
  existing: Table | undefined,
  name: string,
  flags: SourceFlags,
): Promise<PlannedMapping> {
  const known = (column: string) => (existing && findColumn(existing, column)) ?? undefined;
  const columns = await surveyFile(source, existing, flags);
  const unknown = columns.filter(({ type }) => type === undefined).map((column) => column.name);
  if (existing && !flags.create && unknown.length > 0)
    throw new UsageError(
      `The table does not have these columns of ${source.name}: ${unknown.join(', ')}. Add them with --create, or map them with --mapping.`,
    );
  const dialect = inferDialect(columns, flags, source.isCommaSeparated);
  const mapped = columns.map((column): MappedColumn => {
    const stored = known(column.name);
    if (!stored) return inferColumn(column, dialect);
    return { from: column.name, name: column.name, key: stored.key, type: stored.type, primaryKey: stored.primaryKey };
  });
  if (!existing && mapped.length > 0) await choosePrimaryKey(source, mapped, flags.key);
  const mapping: Mapping = { ...toRules(dialect), columns: mapped };
  if (!existing && !flags.create) throw missingTable(name, mapping);
  return { mapping, evidence: dialect.evidence, header: columns.map((column) => column.name) };
}

/**
 * The header decides if the table has all its columns and none of them has values of several forms: the values are then
 * not read.
 */
async function surveyFile(
  source: SourceFile,
  existing: Table | undefined,
  { decimal, dateFormat }: SourceFlags,
): Promise<SurveyedColumn[]> {
  const findType = (name: string) => existing && findColumn(existing, name)?.type;
  if (existing && source.kind !== 'ndjson') {
    const header = (await source.readHeader()).filter((name) => name !== '');
    const isDecided = header.every((name) => {
      const type = findType(name);
      if (type === 'number') return decimal !== undefined;
      return type === 'date' ? dateFormat !== undefined : type !== undefined;
    });
    if (isDecided) {
      const { ColumnEvidence } = await import('../mapping/column-evidence.js');
      return header.map((name) => ({ name, type: findType(name), evidence: new ColumnEvidence() }));
    }
  }
  return surveyColumns(source, findType);
}

function toRules({ decimal, thousands, dateFormats }: InferredDialect): Omit<Mapping, 'columns'> {
  return { decimal, ...(thousands && { thousands }), dateFormats };
}

/** The first column, whose values must be unique, or the one that the user names. */
async function choosePrimaryKey(source: SourceFile, columns: MappedColumn[], name: string | undefined): Promise<void> {
  const chosen = name === undefined ? columns[0]! : columns.find((column) => column.from === name);
  if (!chosen) throw new UsageError(`The file has no column "${name!}" for --key.`);
  if (name === undefined) await requireUniqueKey(source, sourceOf(chosen));
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

/**
 * The column with a key or name, in any letter case, as the service finds it.
 *
 * @throws {UsageError} if several columns match
 */
function findColumn({ columns }: Table, text: string): Table['columns'][number] | undefined {
  const exact = columns.find(({ key }) => key === text);
  if (exact) return exact;
  const name = normalizeName(text);
  const [found, other] = columns.filter((column) => column.key === name || normalizeName(column.name) === name);
  if (found && other)
    throw new UsageError(`"${text}" matches the columns "${found.key}" and "${other.key}". Map it with --mapping.`);
  return found;
}

const normalizeName = (name: string): string => name.trim().normalize('NFC').toLowerCase();

function findPrimaryKey({ columns }: Mapping, existing: Table | undefined, name: string): string {
  if (existing) return existing.columns.find((column) => column.primaryKey)!.key;
  const column = columns.find(({ primaryKey }) => primaryKey) ?? columns.find(({ type }) => type === 'text');
  if (column) return targetOf(column);
  throw new UsageError(`No column can be the primary key of "${name}". Set primaryKey: true in a mapping file.`);
}

function missingTable(name: string, { columns }: Mapping): UsageError {
  const lines = columns.map((column) => `  ${sourceOf(column)}: ${describeType(column)}`);
  return new UsageError(
    `The table "${name}" does not exist. --create would create it with these columns:\n${lines.join('\n')}`,
    EXIT.failure,
  );
}

export function describeType({ type, format, primaryKey }: Mapping['columns'][number]): string {
  return `${type}${format ? ` (${format})` : ''}${primaryKey ? ', primary key' : ''}`;
}
