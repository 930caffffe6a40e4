import type { ColumnType } from '@atrium/client';
import { FileError } from '../exit-codes.js';
import type { DialectFlags } from '../import/load-flags.js';
import type { ColumnEvidence, DateForm, Example, NumberForm } from './column-evidence.js';
import type { MappedColumn } from './mapping-file.js';

/** How a file writes numbers and dates. */
export interface InferredDialect {
  decimal: '.' | ',';
  thousands: '.' | ',' | ' ' | "'" | undefined;
  dateFormats: string[];
  timezone: string | undefined;
  /** What proves the dialect, for people. */
  evidence: string[];
}

/** Forms of numbers that prove a separator. Groups without a decimal separator prove only if nothing else does. */
const PROOFS: Record<'decimal' | 'groups' | 'thousands', Record<'.' | ',', NumberForm[]>> = {
  decimal: { '.': ['point', 'commaGroupsPoint'], ',': ['comma', 'pointGroupsComma'] },
  groups: { '.': ['commaGroups'], ',': ['pointGroups'] },
  thousands: { '.': ['pointGroupsComma', 'pointGroups'], ',': ['commaGroupsPoint', 'commaGroups'] },
};

/** The forms of numbers that have one reading with a decimal and a group separator. */
const READABLE: Record<'.' | ',', { plain: NumberForm[]; grouped: NumberForm[] }> = {
  '.': { plain: ['plain', 'point', 'pointGroup'], grouped: ['commaGroup', 'commaGroups', 'commaGroupsPoint'] },
  ',': { plain: ['plain', 'comma', 'commaGroup'], grouped: ['pointGroup', 'pointGroups', 'pointGroupsComma'] },
};

/** Are all values numbers with these separators? */
export function isNumberColumn(
  { filled, numbers, notNumber, keyLike, hasKnownNumbers }: ColumnEvidence,
  { decimal, thousands }: Pick<InferredDialect, 'decimal' | 'thousands'>,
): boolean {
  if (filled === 0 || notNumber || keyLike) return false;
  if (hasKnownNumbers) return true;
  const { plain, grouped } = READABLE[decimal];
  const forms = thousands === undefined ? plain : [...plain, ...grouped];
  return [...numbers.keys()].every((form) => forms.includes(form));
}

/** Eight digits, which may also be a number. */
const COMPACT_FORMAT = 'YYYYMMDD';

/** Are all values dates? @param dateFormats of the file */
export function isDateColumn(
  { hasDates, notDate, compactDate }: ColumnEvidence,
  dateFormats: readonly string[] = [],
): boolean {
  return !notDate && (hasDates || (compactDate !== undefined && dateFormats.includes(COMPACT_FORMAT)));
}

/** Infers the type of a new column from all its values: text, unless all of them can have another type. */
export function inferColumn(evidence: ColumnEvidence, dialect: InferredDialect): MappedColumn {
  return { from: evidence.name, name: evidence.name, type: inferType(evidence, dialect) };
}

function inferType(evidence: ColumnEvidence, dialect: InferredDialect): ColumnType {
  if (evidence.filled === 0) return 'text';
  // Only `X` in all rows is a text: a checkbox is empty in others.
  if ((evidence.isChecked && evidence.hasEmpty) || evidence.isBoolean) return 'checkbox';
  if (isDateColumn(evidence, dialect.dateFormats)) return 'date';
  return isNumberColumn(evidence, dialect) ? 'number' : 'text';
}

/**
 * Infers how a file writes numbers and dates, from the columns that have the type in the table, and from new columns
 * whose values all can have it. A column of another type proves nothing.
 *
 * @param isCommaSeparated Do commas separate the cells? Who writes decimal commas then separates cells by another
 *   character.
 * @throws {UsageError} if the evidence is missing or contradicts itself and two readings give different values
 */
export function inferDialect(
  columns: readonly ColumnEvidence[],
  flags: DialectFlags,
  isCommaSeparated: boolean,
): InferredDialect {
  const { timezone } = flags;
  const { formats, evidence } = inferDateFormats(columns, flags);
  const numbers = columns.filter((column) =>
    column.type === undefined ? mayBeNumbers(column, isCommaSeparated) : column.type === 'number',
  );
  const separators = getSeparators(flags);
  if (separators) return { ...separators, dateFormats: formats, timezone, evidence };
  requireNoCodes(numbers);
  const hasLocalDates = formats.some((format) => /^D.*\.M/.test(format));
  const inferred = inferSeparators(numbers, !isCommaSeparated || hasLocalDates);
  return { ...inferred, dateFormats: formats, timezone, evidence: [...inferred.evidence, ...evidence] };
}

/** @throws {FileError} for digits with a leading zero in a number column of the table, which may be a code */
function requireNoCodes(columns: readonly ColumnEvidence[]): void {
  const examples = columns.flatMap(({ type, keyLike }) => (type !== undefined && keyLike ? keyLike : []));
  const found = examples.find(({ text }) => /^-?0\d/.test(text));
  if (!found) return;
  const problem = `${describeProof(found)} may be a code, but the column of the table is a number, which has no leading zeros`;
  throw new FileError(
    `${problem}. Set --decimal . to store it as a number, or load it into a text column by a mapping file.`,
  );
}

/** The separators that the user has chosen; undefined if the values decide. */
export function getSeparators({
  decimal,
  thousands,
}: DialectFlags): Pick<InferredDialect, 'decimal' | 'thousands'> | undefined {
  if (decimal === undefined && thousands === undefined) return undefined;
  return { decimal: decimal ?? (thousands === '.' ? ',' : '.'), thousands };
}

/**
 * Could all values of a new column be numbers? Lists such as `1,2` in a file with commas could not, but `12.345,67` is
 * not a list.
 */
function mayBeNumbers(column: ColumnEvidence, isCommaSeparated: boolean): boolean {
  if (isCommaSeparated && column.numbers.has('comma') && !column.numbers.has('pointGroupsComma')) return false;
  return (
    isNumberColumn(column, { decimal: '.', thousands: ',' }) || isNumberColumn(column, { decimal: ',', thousands: '.' })
  );
}

function inferSeparators(
  columns: readonly ColumnEvidence[],
  asksForGroups: boolean,
): Pick<InferredDialect, 'decimal' | 'thousands' | 'evidence'> {
  const known = columns.filter(({ type }) => type !== undefined);
  // Columns of the table decide before those that may become numbers.
  const decisive = findProof(Object.values(PROOFS.decimal).flat(), known) ? known : columns;
  const kind = findProof(Object.values(PROOFS.decimal).flat(), decisive) ? 'decimal' : 'groups';
  const [point, comma] = (['.', ','] as const).map((decimal) => findProof(PROOFS[kind][decimal], decisive));
  if (point && comma)
    throw createAmbiguityError(
      `${describeProof(point)} has a decimal point, but ${describeProof(comma)} a decimal comma`,
      '--decimal . or --decimal ,',
    );
  const decimal = comma ? ',' : '.';
  const grouping = decimal === '.' ? ',' : '.';
  const grouped = findProof(PROOFS.thousands[grouping], decisive);
  const proof = point ?? comma;
  const evidence = proof ? [`decimal "${decimal}": ${describeProof(proof)}`] : [];
  if (grouped) evidence.push(`thousands "${grouping}": ${describeProof(grouped)}`);
  if (!grouped) requireNoGroups(columns, { decimal, isProven: proof !== undefined, asksForGroups });
  return { decimal, thousands: grouped ? grouping : undefined, evidence };
}

/** @throws {UsageError} for a number such as `1.234` that may be 1234 */
function requireNoGroups(
  columns: readonly ColumnEvidence[],
  { decimal, isProven, asksForGroups }: { decimal: '.' | ','; isProven: boolean; asksForGroups: boolean },
): void {
  const forms: NumberForm[] = [decimal === '.' ? 'commaGroup' : 'pointGroup'];
  // Without any proof, `1.234` is a decimal unless the file shows other local formats.
  if (!isProven && asksForGroups) forms.push('pointGroup');
  const found = findProof(forms, columns);
  if (!found) return;
  const mark = found.text.includes(',') ? ',' : '.';
  const other = mark === ',' ? '.' : ',';
  throw createAmbiguityError(
    `${describeProof(found)} may be a decimal or have groups of three digits`,
    `--decimal ${mark} (a decimal), or --decimal ${other} --thousands ${mark} (groups)`,
  );
}

function findProof(forms: readonly NumberForm[], columns: readonly ColumnEvidence[]): Example | undefined {
  return columns.flatMap(({ numbers }) => forms.flatMap((form) => numbers.get(form) ?? []))[0];
}

function inferDateFormats(
  columns: readonly ColumnEvidence[],
  { dateFormat }: DialectFlags,
): { formats: string[]; evidence: string[] } {
  if (dateFormat) return { formats: dateFormat, evidence: [] };
  const dates = columns.filter((column) => (column.type === undefined ? isDateColumn(column) : column.type === 'date'));
  const formats = new Set<string>();
  const evidence: string[] = [];
  for (const separator of ['.', '/', '-']) {
    const forms = dates.flatMap((column) => column.dates.get(separator) ?? []);
    if (forms.length === 0) continue;
    const { format, proof } = inferOrder(forms, separator);
    formats.add(format);
    evidence.push(`dates ${format}: ${proof}`);
  }
  const compact = columns.find(({ type, hasDates, notDate }) => !type && !hasDates && !notDate)?.compactDate;
  if (compact)
    throw createAmbiguityError(
      `${describeProof(compact)} and all other values of the column may be dates or numbers`,
      `--date-format ${COMPACT_FORMAT} (dates)`,
    );
  for (const { yearFirst } of dates) for (const separator of yearFirst) formats.add(`YYYY${separator}MM${separator}DD`);
  return { formats: [...formats], evidence };
}

/** @throws {UsageError} if the order of days and months is not certain */
function inferOrder(forms: readonly DateForm[], separator: string): { format: string; proof: string } {
  const [dayFirst] = forms.flatMap((form) => form.dayFirst ?? []);
  const [monthFirst] = forms.flatMap((form) => form.monthFirst ?? []);
  const isPadded = forms.every((form) => form.isPadded);
  const [day, month] = isPadded ? ['DD', 'MM'] : ['D', 'M'];
  const dayFormat = `${day}${separator}${month}${separator}YYYY`;
  const monthFormat = `${month}${separator}${day}${separator}YYYY`;
  const advice = `--date-format ${dayFormat} or --date-format ${monthFormat}`;
  if (dayFirst && monthFirst)
    throw createAmbiguityError(
      `${describeProof(dayFirst)} begins with the day, but ${describeProof(monthFirst)} with the month`,
      advice,
    );
  if (monthFirst) return { format: monthFormat, proof: describeProof(monthFirst) };
  if (dayFirst) return { format: dayFormat, proof: describeProof(dayFirst) };
  const first = describeProof(forms[0]!.first);
  // Dates with points begin with the day wherever they are in use.
  if (separator === '.') return { format: dayFormat, proof: `${first} (points)` };
  throw createAmbiguityError(`${first} may begin with the day or with the month`, advice);
}

function describeProof({ column, text, line }: Example): string {
  return `"${text}" (line ${line}, column "${column}")`;
}

function createAmbiguityError(problem: string, advice: string): FileError {
  return new FileError(`${problem}. Set ${advice}, or import the column as text by a mapping file.`);
}
