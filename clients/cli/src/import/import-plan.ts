import type { AtriumClient, ColumnDefinition, Entity, FileOptions, Table, TableClient, Value } from '@atrium/client';
import { findTableIfExists } from '../context.js';
import { EXIT, UsageError } from '../exit-codes.js';
import { readLayout } from '../files/layout.js';
import { SourceFile } from '../files/source-file.js';
import type { SourceRow } from '../files/source-row.js';
import { compileMapping } from '../mapping/convert-row.js';
import { inferMapping, SAMPLE_ROWS } from '../mapping/infer-columns.js';
import { keyOf, type Mapping, readMappedEntity, readMapping, toDefinition } from '../mapping/mapping-file.js';
import { findFileOptions } from './pass-through.js';

export interface SourceFlags {
  entity?: Entity;
  mapping?: string;
  layout?: string;
  encoding?: string;
  delimiter?: string;
  create?: boolean;
}

export type Item = Record<string, Value>;

/** A file, the table that it is for, and how its rows become rows of the table. */
export interface ImportPlan {
  source: SourceFile;
  table: TableClient;
  exists: boolean;
  mapping: Mapping;
  /** Columns to create, with `--create`. */
  columns: ColumnDefinition[];
  /** Those of them that the table does not have. */
  addedColumns: ColumnDefinition[];
  /** The key of the primary key. */
  primaryKey: string;
  convert: (row: SourceRow) => Item;
  /** The columns of the file; of NDJSON, those of its first rows. */
  header: string[];
  /** How the service reads the file as it is; undefined if it cannot. */
  fileOptions: FileOptions | undefined;
}

/** Detects the format of a file, and finds or infers the columns of its table. @throws {UsageError} */
export async function planImport(
  client: AtriumClient,
  file: string,
  name: string,
  flags: SourceFlags,
): Promise<ImportPlan> {
  const layout = flags.layout === undefined ? undefined : await readLayout(flags.layout);
  const { encoding, delimiter } = flags;
  const source = await SourceFile.open(file, { encoding, delimiter, layout });
  const mappedEntity = flags.mapping === undefined ? undefined : await readMappedEntity(flags.mapping, name);
  const entity = flags.entity ?? mappedEntity;
  const table = await findTableIfExists(client, name, entity);
  const existing = await table?.describe();
  const isShort = flags.mapping !== undefined && source.kind !== 'ndjson';
  const sample = await readSample(source, isShort ? 1 : SAMPLE_ROWS);
  const header = [...new Set(sample.flatMap(({ cells }) => Object.keys(cells)))];
  let mapping: Mapping;
  if (flags.mapping !== undefined) {
    mapping = await readMapping(flags.mapping, entity, name);
    // Each object of NDJSON may lack keys.
    if (source.kind !== 'ndjson' && sample.length > 0) requireColumns(mapping, header, flags.mapping, source.name);
  } else {
    mapping = inferMapping(sample, (column) => existing && findColumn(existing, column)?.type);
    if (existing && !flags.create) mapping = matchColumns(mapping, existing, source.name);
  }
  if (!existing && !flags.create) throw missingTable(name, mapping);
  // Objects may have keys that a mapping leaves out.
  const canPassThrough = flags.mapping === undefined || source.kind === 'csv';
  const primaryKey = findPrimaryKey(mapping, existing, name);
  const columns = flags.create ? mapping.columns.map(toDefinition) : [];
  return {
    source,
    table: table ?? client.table(entity ?? 'asset', name),
    exists: existing !== undefined,
    mapping,
    columns,
    addedColumns: columns.filter(({ key }) => !existing?.columns.some((column) => column.key === key)),
    primaryKey,
    convert: compileMapping(mapping),
    header,
    fileOptions: canPassThrough ? findFileOptions(source, mapping, header) : undefined,
  };
}

async function readSample(source: SourceFile, count: number): Promise<SourceRow[]> {
  const sample: SourceRow[] = [];
  for await (const row of source.rows()) {
    sample.push(row);
    if (sample.length === count) break;
  }
  return sample;
}

/** @throws {UsageError} if the mapping reads columns that the file lacks: a typing error would leave their values unchanged */
function requireColumns({ columns }: Mapping, header: string[], path: string, file: string): void {
  const missing = columns.flatMap(({ from }) => (from === undefined || header.includes(from) ? [] : [from]));
  if (missing.length > 0)
    throw new UsageError(
      `${path} reads columns that ${file} does not have: ${missing.join(', ')}. The file has: ${header.join(', ')}.`,
    );
}

/** Each column of the file is one of the table, by its key or its name in any letter case. */
function matchColumns(inferred: Mapping, table: Table, file: string): Mapping {
  const unknown: string[] = [];
  const matched = inferred.columns.flatMap((column) => {
    const target = findColumn(table, column.from ?? '');
    if (!target) {
      unknown.push(column.from ?? '');
      return [];
    }
    return [{ ...column, key: target.key, type: target.type, primaryKey: target.primaryKey }];
  });
  if (unknown.length > 0)
    throw new UsageError(
      `The table does not have these columns of ${file}: ${unknown.join(', ')}. Add them with --create, or map them with --mapping.`,
    );
  return { ...inferred, columns: matched };
}

function findColumn({ columns }: Table, text: string): Table['columns'][number] | undefined {
  const name = text.toLowerCase();
  return columns.find(({ key }) => key === name) ?? columns.find((column) => column.name.toLowerCase() === name);
}

function findPrimaryKey({ columns }: Mapping, existing: Table | undefined, name: string): string {
  if (existing) return existing.columns.find((column) => column.primaryKey)!.key;
  const column = columns.find(({ primaryKey }) => primaryKey) ?? columns.find(({ type }) => type === 'text');
  if (column) return keyOf(column);
  throw new UsageError(`No column can be the primary key of "${name}". Set primaryKey: true in a mapping file.`);
}

function missingTable(name: string, { columns }: Mapping): UsageError {
  const lines = columns.map((column) => `  ${column.from ?? keyOf(column)}: ${describeType(column)}`);
  return new UsageError(
    `The table "${name}" does not exist. --create would create it with these columns:\n${lines.join('\n')}`,
    EXIT.failure,
  );
}

export function describeType({ type, format, primaryKey }: Mapping['columns'][number]): string {
  return `${type}${format ? ` (${format})` : ''}${primaryKey ? ', primary key' : ''}`;
}
