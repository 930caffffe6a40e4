import type { AtriumClient, ColumnDefinition, Entity, Table, TableClient, Value } from '@atrium/client';
import { findTableIfExists } from '../context.js';
import { EXIT, UsageError } from '../exit-codes.js';
import { readLayout } from '../files/layout.js';
import { SourceFile } from '../files/source-file.js';
import type { SourceRow } from '../files/source-row.js';
import { compileMapping } from '../mapping/convert-row.js';
import { inferMapping, SAMPLE_ROWS } from '../mapping/infer-columns.js';
import { keyOf, type Mapping, readMappedEntity, readMapping, toDefinition } from '../mapping/mapping-file.js';

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
  /** The key of the primary key. */
  primaryKey: string;
  convert: (row: SourceRow) => Item;
  /** Whether the service can read the file as it is. */
  isPassedThrough: boolean;
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
  const sample = flags.mapping === undefined ? await readSample(source) : [];
  const inferred = inferMapping(sample);
  let mapping = inferred;
  if (flags.mapping !== undefined) mapping = await readMapping(flags.mapping, entity, name);
  else if (existing && !flags.create) mapping = matchColumns(inferred, existing, source.name);
  if (!existing && !flags.create) throw missingTable(name, mapping);
  const primaryKey = findPrimaryKey(mapping, existing, name);
  return {
    source,
    table: table ?? client.table(entity ?? 'asset', name),
    exists: existing !== undefined,
    mapping,
    columns: flags.create ? mapping.columns.map(toDefinition) : [],
    primaryKey,
    convert: compileMapping(mapping),
    isPassedThrough: flags.mapping === undefined && !flags.create && source.isPortable && isPlain(mapping),
  };
}

async function readSample(source: SourceFile): Promise<SourceRow[]> {
  const sample: SourceRow[] = [];
  for await (const row of source.rows()) {
    sample.push(row);
    if (sample.length === SAMPLE_ROWS) break;
  }
  return sample;
}

/** Each column of the file is one of the table, by its key or its name in any letter case. */
function matchColumns(inferred: Mapping, { columns }: Table, file: string): Mapping {
  const unknown: string[] = [];
  const matched = inferred.columns.flatMap((column) => {
    const name = (column.from ?? '').toLowerCase();
    const target =
      columns.find(({ key }) => key === name) ?? columns.find((other) => other.name.toLowerCase() === name);
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

/** The service converts the values itself: no formats and no decimal commas. */
function isPlain({ decimal, columns }: Mapping): boolean {
  return decimal === undefined && columns.every(({ type, format }) => type !== 'date' || format === 'YYYY-MM-DD');
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
