import type { ColumnType } from '@atrium/client';
import { coerceNumber } from '../../../../packages/tabular/src/coercions.js';
import { type createNumberConversion, type DateFormat, readDate } from '../../../../packages/tabular/src/dialect.js';
import { isCalendarDay } from '../../../../packages/tabular/src/instant.js';
import { InvalidValue, parseDate } from '../../../../packages/tabular/src/stored-value.js';
import { InvalidCell, PaddedNumber } from '../../../../packages/tabular/src/workbook/cells.js';
import { type Cell, toText } from '../files/source-row.js';

/** A value that proves how its column is read. */
export interface Example {
  text: string;
  line: number;
  column: string;
}

/** How a number is written. `…Group` are ambiguous: `1.234` is a decimal, or a group of three digits. */
const NUMBER_FORMS = {
  plain: /^\d+$/,
  pointGroup: /^[1-9]\d{0,2}\.\d{3}$/,
  commaGroup: /^[1-9]\d{0,2},\d{3}$/,
  point: /^\d*\.\d+$/,
  comma: /^\d*,\d+$/,
  pointGroups: /^[1-9]\d{0,2}(?:\.\d{3}){2,}$/,
  commaGroups: /^[1-9]\d{0,2}(?:,\d{3}){2,}$/,
  pointGroupsComma: /^[1-9]\d{0,2}(?:\.\d{3})+,\d+$/,
  commaGroupsPoint: /^[1-9]\d{0,2}(?:,\d{3})+\.\d+$/,
};
export type NumberForm = keyof typeof NUMBER_FORMS;
const FORMS = Object.entries(NUMBER_FORMS) as [NumberForm, RegExp][];

const UNSIGNED = /^-?([\d.,]+)$|^([\d.,]+)-$/;
/** A number that is written as a stored number is printed, apart from zeros at its end. */
const PRINTED = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const NEGATIVE_ZERO = /^-0(?:\.0+)?$/;
const MAX_DIGITS = 15;

const DATE_PARTS = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/;
const YEAR_FIRST = /^(\d{4})([./])(\d{2})\2(\d{2})$/;
const ISO = /^\d{4}-\d{2}-\d{2}$/;
/** In UTC, since another offset is lost, and to the millisecond. */
const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/;
const COMPACT = /^((?:19|20)\d{2}|9999)(\d{2})(\d{2})$/;
/** Texts that SAP and others write for "no date". */
const EMPTY_DATE = /^(?:00([./-])00\1)?0000$|^0{8}$|^0{4}([./-])00\2?00(?: 00:00:00)?$/;

/** How dates with one separator are written. */
export interface DateForm {
  first: Example;
  /** Its first part is above 12. */
  dayFirst?: Example;
  /** Its second part is above 12. */
  monthFirst?: Example;
  /** Have all days and months two digits? */
  isPadded: boolean;
}

/** How the user has said that values are written; undefined if the values decide. */
export interface KnownForms {
  numbers: ReturnType<typeof createNumberConversion> | undefined;
  /** Formats of dates. */
  dates: readonly DateFormat[] | undefined;
}

/**
 * What the values of one column prove. Memory: a few examples, whatever the number of rows. A value is only a number, a
 * date or a checkbox if the stored value is printed as it was written: digits after a plus sign, for example, are a
 * text.
 */
export class ColumnEvidence {
  private readonly readDates: ((text: string) => boolean) | undefined;

  /** @param type if the table has the column: only what proves how its values are read is examined. */
  constructor(
    readonly name: string,
    readonly type: ColumnType | undefined,
    private readonly known: KnownForms = { numbers: undefined, dates: undefined },
  ) {
    const { dates } = known;
    this.readDates = dates && ((text) => new Set(dates.flatMap((format) => readDate(format, text) ?? [])).size === 1);
  }

  /** Cells with a value. */
  filled = 0;
  hasEmpty = false;
  readonly numbers = new Map<NumberForm, Example>();
  readonly dates = new Map<string, DateForm>();
  /** Separators of dates that begin with the year. */
  readonly yearFirst = new Set<string>();
  /** The first value that is not a number, the number of these values, and the first one that is not a date. */
  notNumber: Example | undefined;
  notNumbers = 0;
  notDate: Example | undefined;
  /** Digits with a leading zero, or more digits than a number can store. */
  keyLike: Example | undefined;
  /** The numbers of digits of the values that are only digits. */
  private readonly digits = new Set<number>();
  /** The first value such as `20240131`. Only zeros for empty dates in other rows prove that it is a date. */
  compactDate: Example | undefined;
  private hasEmptyDate = false;
  /** Has a value the form of ISO 8601? */
  private hasCertainDate = false;
  /** The texts of checked and of boolean values, as long as all values are such. */
  private readonly marks = new Set<string>();
  private hasOtherMarks = false;

  /** Is each value `X`, or each value `x`? */
  get isChecked(): boolean {
    return !this.hasOtherMarks && this.marks.size === 1 && ['X', 'x'].includes([...this.marks][0]!);
  }

  /** Is each value true or false, in one letter case? */
  get isBoolean(): boolean {
    const marks = [...this.marks];
    const isOne = BOOLEANS.some((texts) => marks.every((mark) => texts.includes(mark)));
    return !this.hasOtherMarks && marks.length > 0 && isOne;
  }

  /** The number of digits of all values, if they are only digits, at least two, and as many in each: codes are. */
  get codeLength(): number | undefined {
    const [length = 0] = this.digits;
    const isCode = this.numbers.size === 1 && this.numbers.has('plain') && !this.notNumber && this.digits.size === 1;
    return isCode && length > 1 ? length : undefined;
  }

  /** Has the user said how numbers are written? */
  get hasKnownNumbers(): boolean {
    return this.known.numbers !== undefined;
  }

  get hasDates(): boolean {
    const hasForm = this.hasCertainDate || this.dates.size > 0 || this.yearFirst.size > 0;
    return hasForm || (this.hasEmptyDate && this.compactDate !== undefined);
  }

  add(cell: Cell, line: number): void {
    if (cell === null || cell === undefined) this.hasEmpty = true;
    if (cell === null || cell === undefined || cell instanceof InvalidCell) return;
    if (typeof cell === 'string') this.addText(cell.trim(), line);
    else {
      this.filled++;
      const text = toText(cell)!;
      const example = { text, line, column: this.name };
      this.notDate ??= example;
      if (typeof cell === 'boolean') this.marks.add(text);
      else this.hasOtherMarks = true;
      if (typeof cell !== 'number' && !(cell instanceof PaddedNumber)) this.addNotNumber(example);
      if (cell instanceof PaddedNumber && cell.isKey) this.keyLike ??= example;
    }
  }

  private addText(text: string, line: number): void {
    if (text === '') {
      this.hasEmpty = true;
      return;
    }
    this.filled++;
    const example = { text, line, column: this.name };
    if (MARK.test(text)) this.marks.add(text);
    else this.hasOtherMarks = true;
    if (this.type !== 'date') this.addNumber(example);
    if (this.type !== 'number') this.addDate(example);
  }

  private addNumber(example: Example): void {
    if (this.known.numbers) this.addKnownNumber(this.known.numbers(example.text), example);
    else this.addUnknownNumber(example);
  }

  private addKnownNumber(converted: string | InvalidValue, example: Example): void {
    if (converted instanceof InvalidValue || coerceNumber(converted) instanceof InvalidValue)
      this.addNotNumber(example);
    else if (!isPrinted(converted) || example.text.startsWith('+')) this.keyLike ??= example;
  }

  private addUnknownNumber(example: Example): void {
    const { text } = example;
    const [, plain, signedAtEnd] = UNSIGNED.exec(text) ?? [];
    const digits = plain ?? signedAtEnd ?? '';
    const [found] = FORMS.find(([, pattern]) => pattern.test(digits)) ?? [];
    if (!found) {
      this.addNotNumber(example);
      return;
    }
    if (found === 'plain' && digits === text) this.digits.add(text.length);
    if (!this.numbers.has(found)) this.numbers.set(found, example);
    // One separator of decimals is enough for the form; groups have no zero at their start.
    const decimal = digits.replace(/[.,](?=\d*$)/, '.').replace(/,|\.(?=.*\.)/g, '');
    if (!isPrinted(text.includes('-') ? `-${decimal}` : decimal)) this.keyLike ??= example;
  }

  private addNotNumber(example: Example): void {
    this.notNumber ??= example;
    this.notNumbers++;
  }

  private addDate(example: Example): void {
    const { text } = example;
    if (EMPTY_DATE.test(text)) this.hasEmptyDate = true;
    else if (isPrintedDate(text)) this.hasCertainDate = true;
    else if (this.readDates && !this.readDates(text) && !isCompactDate(text)) this.notDate ??= example;
    else this.addLocalDate(DATE_PARTS.exec(text), example);
  }

  private addLocalDate(parts: RegExpExecArray | null, example: Example): void {
    const { text } = example;
    const [, year, separator = '', month, day] = YEAR_FIRST.exec(text) ?? [];
    if (parts) this.addDateParts(parts, example);
    else if (isCalendarDay(Number(year), Number(month), Number(day))) this.yearFirst.add(separator);
    else if (isCompactDate(text)) this.compactDate ??= example;
    else if (this.readDates?.(text)) this.hasCertainDate = true;
    else this.notDate ??= example;
  }

  private addDateParts(
    [, first = '', separator = '', second = '', last = '']: RegExpExecArray,
    example: Example,
  ): void {
    const [one, two, year] = [Number(first), Number(second), Number(last)];
    if (!isCalendarDay(year, two, one) && !isCalendarDay(year, one, two)) {
      this.notDate ??= example;
      return;
    }
    const form = this.dates.get(separator) ?? { first: example, isPadded: true };
    form.isPadded &&= first.length === 2 && second.length === 2;
    if (one > 12) form.dayFirst ??= example;
    if (two > 12) form.monthFirst ??= example;
    this.dates.set(separator, form);
  }
}

const MARK = /^(?:x|true|false)$/i;
const BOOLEANS = [
  ['true', 'false'],
  ['TRUE', 'FALSE'],
  ['True', 'False'],
];

/** @param decimal with a point, and its sign at the start */
function isPrinted(decimal: string): boolean {
  const isLong = decimal.length > MAX_DIGITS && decimal.replace(/\D/g, '').length > MAX_DIGITS;
  return !isLong && PRINTED.test(decimal) && !NEGATIVE_ZERO.test(decimal);
}

/** Is a text ISO 8601 as a stored date is printed? Seconds and milliseconds that are zero may lack. */
function isPrintedDate(text: string): boolean {
  const stored = parseDate(text);
  if (typeof stored !== 'string') return false;
  return ISO.test(text) ? stored === text : ISO_INSTANT.test(text) && stored.startsWith(text.slice(0, 16));
}

function isCompactDate(text: string): boolean {
  const [, year, month, day] = COMPACT.exec(text) ?? [];
  return isCalendarDay(Number(year), Number(month), Number(day));
}
