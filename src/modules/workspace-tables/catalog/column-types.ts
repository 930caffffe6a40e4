import { parseDate } from './date-value.js';
import { parseDecimal } from './decimal-value.js';
import type { EntityKind } from './entity-kind.js';
import { InvalidValue, type StoredValue } from './stored-value.js';

/** Column types (specification, section 2.3). */
export const COLUMN_TYPES = [
  'text',
  'number',
  'date',
  'checkbox',
  'hierarchyParent',
  'reference',
  'locationTag',
  'space',
  'tagStatus',
] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** Columns that hold another row's primary key. */
export function isReference(type: ColumnType): boolean {
  return type === 'hierarchyParent' || type === 'reference';
}

export interface ColumnOptions {
  /** For `reference`: the table whose rows it names. Without it: all Locations tables. */
  target?: { entity: EntityKind; table: string };
  /** For `tagStatus`: the values it may have. Without it: any text. */
  choices?: string[];
  /** Does an index serve filters and sorts by the column? */
  indexed?: boolean;
}

/** Turns a value as it was sent into the one that is stored, or says why it cannot be. */
export type Coerce = (value: unknown) => StoredValue | InvalidValue;

/** Characters of a text, and of a primary key. */
export const MAX_TEXT_LENGTH = 100_000;
export const MAX_KEY_LENGTH = 255;

/** Characters of a text in a column that has an index. */
export const MAX_INDEXED_TEXT_LENGTH = 1_000;

/** The rule of a column's type. A value is accepted when it converts without loss; nothing is silently dropped. */
export function coercerOf(type: ColumnType, options: ColumnOptions = {}): Coerce {
  switch (type) {
    case 'number':
      return coerceNumber;
    case 'date':
      return coerceDate;
    case 'checkbox':
      return coerceCheckbox;
    case 'hierarchyParent':
    case 'reference':
      return coerceKey;
    case 'tagStatus':
      return options.choices ? oneOf(new Set(options.choices)) : textOf(options);
    case 'text':
    case 'locationTag':
    case 'space':
      return textOf(options);
  }
}

function textOf({ indexed = false }: ColumnOptions): Coerce {
  return indexed ? coerceIndexedText : coerceText;
}

function coerceIndexedText(value: unknown): StoredValue | InvalidValue {
  const text = coerceText(value);
  if (typeof text !== 'string' || !isLonger(text, MAX_INDEXED_TEXT_LENGTH)) return text;
  const message = `A text in a column with an index has at most ${MAX_INDEXED_TEXT_LENGTH} characters; this has ${countCharacters(text)}.`;
  return new InvalidValue(message, 'too_long');
}

/** Text as it is; a number or boolean as its text. */
export function coerceText(value: unknown): StoredValue | InvalidValue {
  if (typeof value === 'string') return checkText(value);
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return lossyNumber(value) ?? String(value);
  return new InvalidValue(`${describe(value)} is not a text.`);
}

/** A primary key, or a link to one: trimmed, in one Unicode form, at most 255 characters. Empty is null. */
export function coerceKey(value: unknown): string | null | InvalidValue {
  const text = coerceText(value);
  if (typeof text !== 'string') return text as null | InvalidValue;
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const key = isAscii(trimmed) ? trimmed : trimmed.normalize('NFC');
  if (isLonger(key, MAX_KEY_LENGTH)) {
    return new InvalidValue(`A key has at most ${MAX_KEY_LENGTH} characters; this has ${countCharacters(key)}.`);
  }
  return key;
}

function coerceNumber(value: unknown): StoredValue | InvalidValue {
  if (typeof value === 'number') return lossyNumber(value) ?? value;
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return parseDecimal(value);
  return new InvalidValue(`${describe(value)} is not a number.`);
}

function coerceDate(value: unknown): StoredValue | InvalidValue {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? parseDate(value) : new InvalidValue(`${describe(value)} is not a date.`);
}

const TRUE = new Set(['1', 'true', 'yes', 'x']);
const FALSE = new Set(['0', 'false', 'no', '']);

function coerceCheckbox(value: unknown): StoredValue | InvalidValue {
  if (typeof value === 'boolean' || value === null) return value;
  if (value === undefined) return null;
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : undefined;
  if (text !== undefined && TRUE.has(text)) return true;
  if (text !== undefined && FALSE.has(text)) return false;
  return new InvalidValue(
    `${describe(value)} is not a checkbox value; it takes true, false, 1, 0, yes, no, X and the empty text.`,
  );
}

/** Choices that a refusal names. */
const MAX_NAMED_CHOICES = 10;

function oneOf(choices: ReadonlySet<string>): Coerce {
  const named = [...choices].slice(0, MAX_NAMED_CHOICES).map((choice) => describe(choice));
  const others = choices.size > named.length ? ` and ${choices.size - named.length} others` : '';
  return (value) => {
    const text = coerceText(value);
    if (typeof text !== 'string' || choices.has(text)) return text;
    return new InvalidValue(`${describe(text)} is not one of the choices ${named.join(', ')}${others}.`);
  };
}

/** Why a number cannot be kept exactly, where it cannot. */
function lossyNumber(value: number): InvalidValue | undefined {
  if (!Number.isFinite(value)) return new InvalidValue('The number is too large to be stored.');
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return new InvalidValue(
      `The integer ${value} is beyond ±(2^53 − 1) and would lose digits; send it to a text column as a text.`,
    );
  }
  return undefined;
}

function checkText(text: string): string | InvalidValue {
  if (isLonger(text, MAX_TEXT_LENGTH)) {
    return new InvalidValue(`A text has at most ${MAX_TEXT_LENGTH} characters; this has ${countCharacters(text)}.`);
  }
  if (text.includes('\0')) return new InvalidValue('The text holds the character U+0000, which cannot be stored.');
  if (!text.isWellFormed())
    return new InvalidValue('The text holds half of a surrogate pair, which is not a character.');
  return text;
}

function isLonger(text: string, characters: number): boolean {
  return text.length > characters && countCharacters(text) > characters;
}

/** A character outside the basic plane counts once, though it takes two units. Without a copy: a text may have 50 MB. */
function countCharacters(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    pairs++;
    at++;
  }
  return text.length - pairs;
}

function isAscii(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- the control characters are ASCII too
  return /^[\x00-\x7f]*$/.test(text);
}

/** A value as an error message shows it: short, and recognisable. */
export function describe(value: unknown): string {
  // What JSON has no word for, such as undefined, makes no text at all, whatever the types say.
  const text = (JSON.stringify(value) as string | undefined) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
