import type { ColumnType } from '@atrium/client';
import { InvalidCell, PaddedNumber, type Cell } from '../files/source-row.js';

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

const SIGNED = /^[+-]?([\d.,]+)-?$/;
const MAX_DIGITS = 15;

const DATE_PARTS = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/;
const YEAR_FIRST = /^\d{4}([./])\d{2}\1\d{2}$/;
const ISO = /^\d{4}-\d{2}-\d{2}(?:T\S+)?$/;
const COMPACT = /^(?:(?:19|20)\d{2}|9999)(\d{2})(\d{2})$/;
/** Texts that SAP and others write for "no date". */
const EMPTY_DATE = /^(?:00([./-])00\1)?0000$|^0{8}$|^0{4}([./-])00\2?00$/;

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

/** What the values of one column prove. Memory: a few examples, whatever the number of rows. */
export class ColumnEvidence {
  /** @param type if the table has the column: only what proves how its values are read is examined. */
  constructor(
    readonly name: string,
    readonly type: ColumnType | undefined,
  ) {}

  /** Cells with a value. */
  filled = 0;
  hasEmpty = false;
  readonly numbers = new Map<NumberForm, Example>();
  readonly dates = new Map<string, DateForm>();
  /** Separators of dates that begin with the year. */
  readonly yearFirst = new Set<string>();
  /** The first value that is not a number, and the first one that is not a date. */
  notNumber: Example | undefined;
  notDate: Example | undefined;
  /** Digits with a leading zero, or more digits than a number can store. */
  keyLike: Example | undefined;
  /** The first value such as `20240131`. Only zeros for empty dates in other rows prove that it is a date. */
  compactDate: Example | undefined;
  private hasEmptyDate = false;
  /** Has a value the form of ISO 8601? */
  private hasCertainDate = false;
  isChecked = true;
  isBoolean = true;

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
      const text = cell instanceof PaddedNumber ? cell.text : JSON.stringify(cell);
      const example = { text, line, column: this.name };
      this.isChecked = false;
      this.notDate ??= example;
      if (typeof cell !== 'boolean') this.isBoolean = false;
      if (typeof cell !== 'number') this.notNumber ??= example;
      if (cell instanceof PaddedNumber) this.keyLike ??= example;
    }
  }

  private addText(text: string, line: number): void {
    if (text === '') {
      this.hasEmpty = true;
      return;
    }
    this.filled++;
    const example = { text, line, column: this.name };
    this.isChecked &&= text === 'X' || text === 'x';
    this.isBoolean &&= /^(?:true|false)$/i.test(text);
    if (this.type !== 'date') this.addNumber(example);
    if (this.type !== 'number') this.addDate(example);
  }

  private addNumber(example: Example): void {
    const [, digits = ''] = SIGNED.exec(example.text) ?? [];
    const [found] = FORMS.find(([, pattern]) => pattern.test(digits)) ?? [];
    if (!found) {
      this.notNumber ??= example;
      return;
    }
    if (!this.numbers.has(found)) this.numbers.set(found, example);
    const isLong = digits.length > MAX_DIGITS && digits.replace(/\D/g, '').length > MAX_DIGITS;
    if (isLong || /^0\d/.test(digits)) this.keyLike ??= example;
  }

  private addDate(example: Example): void {
    const { text } = example;
    if (EMPTY_DATE.test(text)) this.hasEmptyDate = true;
    else if (ISO.test(text)) this.hasCertainDate = true;
    else this.addLocalDate(DATE_PARTS.exec(text), example);
  }

  private addLocalDate(parts: RegExpExecArray | null, example: Example): void {
    const { text } = example;
    if (parts) this.addDateParts(parts, example);
    else if (YEAR_FIRST.test(text)) this.yearFirst.add(text.charAt(4));
    else if (isCompactDate(text)) this.compactDate ??= example;
    else this.notDate ??= example;
  }

  private addDateParts([, first = '', separator = '', second = '']: RegExpExecArray, example: Example): void {
    const [one, two] = [Number(first), Number(second)];
    if (!isDay(one, two) && !isDay(two, one)) {
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

const isDay = (day: number, month: number): boolean => day >= 1 && day <= 31 && month >= 1 && month <= 12;

function isCompactDate(text: string): boolean {
  const [, month, day] = COMPACT.exec(text) ?? [];
  return isDay(Number(day), Number(month));
}
