import { coerceKey, getCoercion, type Coercion } from '../../../../packages/tabular/src/coercions.js';
import { adaptCoercion, type Dialect, parseDateFormat, readDate } from '../../../../packages/tabular/src/dialect.js';
import { InvalidValue, type StoredValue } from '../../../../packages/tabular/src/stored-value.js';
import { InvalidCell, PaddedNumber } from '../../../../packages/tabular/src/workbook/cells.js';
import type { ReportedError } from '../failure.js';
import { type Cell, CellReader, type SourceRow, toText } from '../files/source-row.js';
import { type MappedColumn, type Mapping, sourceOf, targetOf } from './mapping-file.js';

/** A row with the values that the service stores. */
export type Item = Record<string, StoredValue>;

/** Converts rows of a file for the service. */
export interface RowConversion {
  /** Why the cells of a row cannot be assigned to columns; undefined if they can. */
  findProblem: (row: SourceRow) => ReportedError | undefined;
  /**
   * The cells as they are sent with the dialect: the service converts texts to numbers and dates. It rejects a row with
   * a problem, which is sent as a text instead of an object.
   */
  toSentRow: (row: SourceRow) => object | string;
  /** The values that the service would store, by the rules of the service. */
  toValues: (row: SourceRow) => { item: Item; errors: ReportedError[] };
}

/** @param primaryKey the target of the primary key */
export function compileMapping(mapping: Mapping, primaryKey: string): RowConversion {
  const cells = new CellReader();
  const dialect = toDialect(mapping);
  const columns = mapping.columns.map((column) => {
    const target = targetOf(column);
    const coerce: Coercion = target === primaryKey ? coerceKey : getCoercion(column.type);
    return {
      target,
      from: sourceOf(column),
      constant: column.value,
      prepare: compilePreparation(column, mapping),
      coerce: adaptCoercion(dialect, column.type, coerce),
    };
  });
  const toEntries = (row: SourceRow): [(typeof columns)[number], Cell][] =>
    columns.flatMap((column): [typeof column, Cell][] => {
      if (column.constant !== undefined) return [[column, column.constant]];
      const cell = cells.read(row, column.from);
      // A key that an object lacks leaves the value unchanged.
      return cell === undefined ? [] : [[column, column.prepare(cell)]];
    });
  // Only objects of NDJSON may have several names for a column, and each object one of them.
  const hasSharedTargets = new Set(columns.map(({ target }) => target)).size < columns.length;
  const findProblem = (row: SourceRow): ReportedError | undefined =>
    row.problem ?? (hasSharedTargets ? findAmbiguousColumn(toEntries(row)) : undefined);
  return {
    findProblem,
    // Object.fromEntries also defines the key `__proto__`.
    toSentRow: (row) =>
      findProblem(row)?.message ?? Object.fromEntries(toEntries(row).map(([{ target }, cell]) => [target, cell])),
    toValues: (row) => {
      const problem = findProblem(row);
      if (problem) return { item: {}, errors: [problem] };
      const errors: ReportedError[] = [];
      const values: [string, StoredValue][] = [];
      for (const [{ target, coerce }, cell] of toEntries(row)) {
        const value = coerce(toPlain(cell));
        if (value instanceof InvalidValue) errors.push({ code: value.code, column: target, message: value.message });
        else values.push([target, value]);
      }
      return { item: Object.fromEntries(values), errors };
    },
  };
}

/** An error if a column has values under several names, such as `{"Name": 1, "NAME": 2}`. */
function findAmbiguousColumn(entries: [{ target: string; from: string }, Cell][]): ReportedError | undefined {
  const sources = new Map<string, string>();
  for (const [{ target, from }] of entries) {
    const other = sources.get(target);
    const message = `"${other}" and "${from}" are both for the column "${target}". Remove one of them.`;
    if (other !== undefined) return { code: 'ambiguous_column', column: target, message };
    sources.set(target, from);
  }
  return undefined;
}

/** The rules for texts of a mapping; `dateFormat` has the formats of all columns that do not contradict each other. */
function toDialect({
  trim = false,
  nullValues = [],
  decimal = '.',
  thousands,
  dateFormats = [],
  timezone,
}: Mapping): Dialect {
  return {
    trim,
    nullValues: new Set(nullValues),
    decimal,
    thousands,
    dates: dateFormats.flatMap((format) => parseDateFormat(format, timezone) ?? []),
  };
}

/** An object of a workbook or of NDJSON as the value that JSON has. */
function toPlain(cell: Cell): unknown {
  return typeof cell === 'object' && cell !== null ? (JSON.parse(JSON.stringify(cell)) as unknown) : cell;
}

/** Applies what only this program knows: value maps, and a format of dates that is not the one of other columns. */
function compilePreparation(
  { map = [], type, format }: MappedColumn,
  { trim = false, dateFormats = [], timezone }: Mapping,
): (cell: Cell) => Cell {
  const own = format !== undefined && !dateFormats.includes(format) ? parseDateFormat(format, timezone) : undefined;
  const values = new Map(map);
  const padded = type === 'number' ? 'value' : 'text';
  return (cell) => {
    const plain = cell instanceof PaddedNumber ? cell[padded] : cell;
    if (values.size === 0 && !own) return plain;
    const sent = toText(cell) ?? '';
    const text = trim ? sent.trim() : sent;
    if (values.has(text)) return values.get(text);
    const date = own && typeof cell === 'string' ? readDate(own, text) : undefined;
    if (date instanceof InvalidValue) return new InvalidCell(text, `not one instant in ${timezone}`);
    return date === undefined ? plain : date;
  };
}
