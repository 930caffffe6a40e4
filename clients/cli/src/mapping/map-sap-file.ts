import { basename, extname } from 'node:path';
import { normalizeName } from '../../../../packages/tabular/src/normalization.js';
import { formatForTerminal } from '../../../../packages/tabular/src/terminal-text.js';
import { SourceFile } from '../files/source-file.js';
import type { LoadFlags } from '../import/load-flags.js';
import { surveyColumns } from '../import/survey.js';
import type { Io } from '../io.js';
import type { ColumnEvidence } from './column-evidence.js';
import { compileMapping } from './convert-row.js';
import { inferColumn, inferDialect, type InferredDialect } from './infer-dialect.js';
import { collectDateFormats, type MappedColumn, type Mapping, sourceOf, targetOf } from './mapping-file.js';
import { findSapField, SAP_KEYS, type SapField } from './sap-fields.js';

/** The mapping of a file of SAP, and the table that it is for. */
export interface SapMapping {
  /** The file, and how the user has said that it is read. */
  source: { file: string } & LoadFlags;
  entity: string;
  table: string;
  mapping: Mapping;
  /** What the user should know about columns with invalid values, by their positions. */
  remarks: Map<number, string>;
}

/** Values of a column that are not of its type. */
interface InvalidValues {
  /** All values of the column, without empty ones. */
  total: number;
  count: number;
  /** The first of them. */
  first: { line: number; message: string }[];
}

/** Invalid values of a column that a remark lists. */
const MAX_LISTED = 10;

const NULL_VALUES = ['00.00.0000', '00000000'];

/**
 * Infers the mapping of a file: known fields have their names and types, and are the hierarchy or references to other
 * tables; all others have inferred types. A known field is a text only if more than half of its values do not have its
 * type.
 */
export async function mapSapFile(file: string, flags: LoadFlags, io: Io): Promise<SapMapping> {
  const source = await SourceFile.open(file, flags, io);
  try {
    const surveyed = await surveyColumns(source, flags, (name) => findSapField(name)?.type);
    const primary = findPrimary(surveyed);
    const others = surveyed.filter((column) => column !== primary);
    const dialect = inferDialect(others, flags, source.isCommaSeparated);
    const { decimal, thousands, timezone } = dialect;
    const columns = describeColumns(surveyed, primary, dialect);
    const mapping: Mapping = { trim: true, decimal, thousands, timezone, nullValues: NULL_VALUES, columns };
    const remarks = new Map<number, string>();
    for (const [position, column] of surveyed.entries()) {
      const remark = findSapField(column.name) ? undefined : describeOtherType(column, columns[position]!.type);
      if (remark !== undefined) remarks.set(position, remark);
    }
    for (const [target, values] of await findInvalidValues(source, mapping)) {
      const position = columns.findIndex((column) => targetOf(column) === target);
      const column = columns[position]!;
      remarks.set(position, describeInvalid(column, values));
      if (isMostlyInvalid(values)) columns[position] = { ...column, type: 'text', format: undefined };
    }
    const { format, encoding, delimiter, quote, layout, sheet, headerRow } = flags;
    return {
      source: { file, format, encoding, delimiter, quote, layout, sheet, headerRow },
      ...((primary && findSapField(primary.name)?.target) ?? { entity: 'list', table: toTableName(file) }),
      mapping,
      remarks,
    };
  } finally {
    await source.close();
  }
}

/** Reads the whole file as a mapping describes it. @returns the columns with invalid values, by their targets */
async function findInvalidValues(source: SourceFile, mapping: Mapping): Promise<Map<string, InvalidValues>> {
  const { columns } = mapping;
  const key = columns.find(({ primaryKey }) => primaryKey);
  const dateFormats = collectDateFormats(columns);
  const { toValues } = compileMapping({ ...mapping, dateFormats }, key ? targetOf(key) : '');
  const found = new Map<string, InvalidValues>(
    columns.map((column) => [targetOf(column), { total: 0, count: 0, first: [] }]),
  );
  for await (const row of source.rows()) {
    const { item, errors } = toValues(row);
    for (const [column, value] of Object.entries(item)) if (value !== null) found.get(column)!.total++;
    for (const { column, message } of errors) {
      // The cells of other rows are not assigned to columns.
      const values = column === undefined ? undefined : found.get(column);
      if (!values) continue;
      values.total++;
      values.count++;
      if (values.first.length < MAX_LISTED) values.first.push({ line: row.line, message });
    }
  }
  return new Map([...found].filter(([, { count }]) => count > 0));
}

/** What could be another type in an inferred column; undefined if nothing could. */
function describeOtherType(
  { filled, notNumber, notNumbers, codeLength }: ColumnEvidence,
  type: string | undefined,
): string | undefined {
  if (type === 'number' && codeLength !== undefined)
    return `All values have ${codeLength} digits. If they are codes, write the type text: a number stores 0${'1'.padStart(codeLength - 1, '0')} as 1.`;
  if (type !== 'text' || !notNumber || notNumbers * 2 >= filled) return undefined;
  const { text, line } = notNumber;
  return (
    `${format(filled - notNumbers)} of ${format(filled)} values are numbers, but not ${formatForTerminal(JSON.stringify(text))} in line ${line}. ` +
    'As a text, the column stores all of them as they are written; with the type number, rows with other values are rejected.'
  );
}

const format = (number: number): string => number.toLocaleString('en');

function toTableName(file: string): string {
  const name = basename(file).replace(/\.gz$/, '');
  return name.slice(0, -extname(name).length || undefined);
}

function findPrimary(surveyed: ColumnEvidence[]): ColumnEvidence | undefined {
  const [found] = SAP_KEYS.flatMap(
    (key) => surveyed.find(({ name }) => findSapField(name) === findSapField(key)) ?? [],
  );
  return found ?? surveyed[0];
}

function describeColumns(
  surveyed: ColumnEvidence[],
  primary: ColumnEvidence | undefined,
  dialect: InferredDialect,
): MappedColumn[] {
  const used = new Set<string>();
  const keyField = primary && findSapField(primary.name);
  const nameField = findSapField(keyField?.nameField ?? '');
  const parentField = findSapField(keyField?.parentField ?? '');
  const describeColumn = (column: ColumnEvidence): MappedColumn => {
    const field = findSapField(column.name);
    const isPrimary = column === primary;
    const isParent = field !== undefined && field === parentField;
    const target = isPrimary ? undefined : field?.target;
    const isName = field !== undefined && field === nameField;
    const known = field && {
      from: column.name,
      key: chooseKey(column.name, field, { isName, isParent, isReference: target !== undefined }),
      name: isName ? 'Name' : field.name,
      type: field.type,
    };
    const named = nameOnce(known ?? inferColumn(column, dialect), used);
    if (isPrimary) return { ...named, type: 'text', primaryKey: true };
    if (isParent) return { ...named, type: 'hierarchyParent' };
    if (target) return { ...named, type: 'reference', options: { target } };
    const format = named.type === 'date' ? findFormat(column, dialect) : undefined;
    return format === undefined ? named : { ...named, format };
  };
  // Other fields of the file do not take the names of known fields.
  const isOther = ({ name }: ColumnEvidence): boolean => findSapField(name) === undefined;
  const knownFirst = surveyed.toSorted((one, other) => Number(isOther(one)) - Number(isOther(other)));
  const described = new Map(knownFirst.map((column) => [column, describeColumn(column)]));
  return surveyed.map((column) => described.get(column)!);
}

function chooseKey(
  from: string,
  { key, referenceKey }: SapField,
  { isName, isParent, isReference }: Record<'isName' | 'isParent' | 'isReference', boolean>,
): string {
  if (isName) return 'name';
  if (isParent) return 'parent';
  return (isReference ? referenceKey : key) ?? from.trim().toLowerCase();
}

/** Columns of a table have different names: a field of the user may have that of a known field. */
function nameOnce(column: MappedColumn, used: Set<string>): MappedColumn {
  const { from, name, key } = column;
  const isUsed = [key, name].some((text) => text !== undefined && used.has(normalizeName(text)));
  const named = isUsed ? { ...column, key: undefined, name: `${name} (${from})` } : column;
  for (const text of [named.key, named.name]) if (text !== undefined) used.add(normalizeName(text));
  return named;
}

/** The format of the dates of a column; undefined if they are ISO 8601 or have several formats. */
function findFormat({ dates, yearFirst }: ColumnEvidence, { dateFormats }: InferredDialect): string | undefined {
  if (dateFormats.length === 1) return dateFormats[0];
  const separators = new Set([...dates.keys(), ...yearFirst]);
  const found = dateFormats.filter((format) => separators.has(format.replace(/\w/g, '')[0] ?? ''));
  return found.length === 1 ? found[0] : undefined;
}

const isMostlyInvalid = ({ total, count }: InvalidValues): boolean => count * 2 > total;

function describeInvalid(column: MappedColumn, values: InvalidValues): string {
  const { total, count, first } = values;
  const effect = isMostlyInvalid(values)
    ? `The field is a ${column.type} in SAP, but this column is a text.`
    : 'Correct them in the file, or write them as nullValues or in a map of the column. Otherwise, their rows are rejected.';
  const listed = first.map(({ line, message }) => `  line ${line}: ${formatForTerminal(message)}`);
  if (count > first.length) listed.push(`  and ${format(count - first.length)} more`);
  return [`Invalid values of ${sourceOf(column)}: ${format(count)} of ${format(total)}.`, effect, ...listed].join('\n');
}
