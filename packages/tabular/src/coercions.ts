import { toNfc } from './normalization.js';
import {
  createDateError,
  findNumberError,
  formatValue,
  InvalidValue,
  parseDate,
  parseDecimal,
  parseNearestNumber,
  type StoredValue,
} from './stored-value.js';

/** Converts a sent value to the stored one. A value that does not convert without loss is invalid; none is dropped. */
export type Coercion = (value: unknown) => StoredValue | InvalidValue;

/** The types of columns (specification, section 2.3). */
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

/** Options of a column that limit its values. */
interface ValueOptions {
  choices?: string[];
  indexed?: boolean;
  /** Has an index, too. */
  unique?: boolean;
}

const COERCIONS: Record<ColumnType, (options: ValueOptions) => Coercion> = {
  text: createTextCoercion,
  number: () => coerceNumber,
  date: () => coerceDate,
  checkbox: () => coerceCheckbox,
  hierarchyParent: () => coerceKey,
  reference: () => coerceKey,
  locationTag: createTextCoercion,
  space: createTextCoercion,
  tagStatus: createTextCoercion,
};

/** Converts the values of a column, except for the primary key, whose values `coerceKey` converts. */
export function getCoercion(type: ColumnType, options: ValueOptions = {}): Coercion {
  return COERCIONS[type](options);
}

/** Maximum number of characters of a text, of a primary key, and of a text in a column with an index. */
export const MAX_TEXT_LENGTH = 100_000;
export const MAX_KEY_LENGTH = 255;
export const MAX_INDEXED_TEXT_LENGTH = 1_000;

function createTextCoercion({ choices, indexed = false, unique = false }: ValueOptions): Coercion {
  if (choices) return createChoiceCoercion(choices);
  return indexed || unique ? coerceIndexedText : coerceText;
}

function coerceIndexedText(value: unknown): StoredValue | InvalidValue {
  const text = coerceText(value);
  if (typeof text !== 'string' || !isLonger(text, MAX_INDEXED_TEXT_LENGTH)) return text;
  const message = `A text in a column with an index has at most ${MAX_INDEXED_TEXT_LENGTH} characters; this has ${countCharacters(text)}.`;
  return new InvalidValue(message, 'too_long');
}

/** A string is stored unchanged, a number or boolean as its text. */
export function coerceText(value: unknown): StoredValue | InvalidValue {
  if (typeof value === 'string') return findTextError(value) ?? value;
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return findNumberError(value) ?? String(value);
  return new InvalidValue(`${formatValue(value)} is not a text.`);
}

/** A primary key or a reference to one: trimmed, NFC, at most `MAX_KEY_LENGTH` characters, null if empty. */
export function coerceKey(value: unknown): string | null | InvalidValue {
  const text = coerceText(value);
  if (typeof text !== 'string') return text as null | InvalidValue;
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const key = isAscii(trimmed) ? trimmed : toNfc(trimmed);
  if (!isLonger(key, MAX_KEY_LENGTH)) return key;
  return new InvalidValue(`A key has at most ${MAX_KEY_LENGTH} characters; this has ${countCharacters(key)}.`);
}

export function coerceNumber(value: unknown): StoredValue | InvalidValue {
  if (value === null || value === undefined) return null;
  const number = typeof value === 'string' ? parseDecimal(value) : value;
  // Adding 0 turns -0 into 0, which no JSON distinguishes.
  if (typeof number === 'number') return findNumberError(number) ?? number + 0;
  if (number === null || number instanceof InvalidValue) return number;
  return new InvalidValue(`${formatValue(value)} is not a number.`);
}

/** As the coercion of a number column, but of any number, which is compared with stored ones. */
export function coerceComparedNumber(value: unknown): StoredValue | InvalidValue {
  if (typeof value === 'number') return value + 0;
  const stored = coerceNumber(value);
  if (!(stored instanceof InvalidValue) || typeof value !== 'string') return stored;
  return parseNearestNumber(value) ?? stored;
}

function coerceDate(value: unknown): StoredValue | InvalidValue {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? parseDate(value) : createDateError(value);
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
    `${formatValue(value)} is not a checkbox value. Send true, false, 1, 0, "yes", "no", "X" or "".`,
  );
}

/** Maximum number of choices that an error message lists. */
const MAX_LISTED_CHOICES = 10;

function createChoiceCoercion(choices: readonly string[]): Coercion {
  const allowed = new Set(choices);
  // The empty text is an empty value.
  const isAllowed = (text: string): boolean => text === '' || allowed.has(text);
  const listed = [...allowed].slice(0, MAX_LISTED_CHOICES).map((choice) => formatValue(choice));
  const others = allowed.size > listed.length ? ` and ${allowed.size - listed.length} others` : '';
  return (value) => {
    const text = coerceText(value);
    if (typeof text !== 'string' || isAllowed(text)) return text;
    return new InvalidValue(`${formatValue(text)} is not one of the choices ${listed.join(', ')}${others}.`);
  };
}

function findTextError(text: string): InvalidValue | undefined {
  if (isLonger(text, MAX_TEXT_LENGTH)) {
    return new InvalidValue(`A text has at most ${MAX_TEXT_LENGTH} characters; this has ${countCharacters(text)}.`);
  }
  if (text.includes('\0')) return new InvalidValue('The text contains the character U+0000, which cannot be stored.');
  if (!text.isWellFormed())
    return new InvalidValue('The text contains half of a surrogate pair, which is not a character.');
  return undefined;
}

function isLonger(text: string, characters: number): boolean {
  return text.length > characters && countCharacters(text) > characters;
}

/** Counts a surrogate pair once, and without a copy of the text, which may be as long as a body. */
function countCharacters(text: string): number {
  let pairs = 0;
  for (let index = 0; index < text.length - 1; index++) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xd800 || (text.charCodeAt(index + 1) & 0xfc00) !== 0xdc00) continue;
    pairs++;
    index++;
  }
  return text.length - pairs;
}

function isAscii(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- the control characters are ASCII too
  return /^[\x00-\x7f]*$/.test(text);
}
