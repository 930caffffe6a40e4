import type { EntityKind } from './entity-kind.js';
import {
  findNumberError,
  formatValue,
  InvalidValue,
  parseDate,
  parseDecimal,
  type StoredValue,
} from './stored-value.js';

/**
 * Everything about the types of columns (specification, section 2.3): accepted values, stored type, options. To add a
 * type, add its name to COLUMN_TYPES and its rules to TYPE_RULES, and cases to the table-driven tests of this file. The
 * type of options of a new kind is ColumnOptions; requests describe them in dto/column.dto.ts.
 */
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

export interface ColumnOptions {
  /** For `reference`: the table whose rows the values identify. Default: all Locations tables. */
  target?: { entity: EntityKind; table: string };
  /** For `tagStatus`: the allowed values. Default: any text. */
  choices?: string[];
  /** Build an index for filters and sorting? */
  indexed?: boolean;
}

/** How PostgreSQL stores the values of a column. */
export type NativeType = 'text' | 'number' | 'boolean';

const SQL_TYPES: Record<NativeType, string> = { text: 'text', number: 'double precision', boolean: 'boolean' };

/** Converts a sent value to the stored one. A value that does not convert without loss is invalid; none is dropped. */
export type Coercion = (value: unknown) => StoredValue | InvalidValue;

interface TypeRules {
  native: NativeType;
  createCoercion: (options: ColumnOptions) => Coercion;
  /** Do the values identify rows? */
  isReference?: boolean;
  /** The options that only this type has. */
  options?: readonly (keyof ColumnOptions)[];
}

const TYPE_RULES: Record<ColumnType, TypeRules> = {
  text: { native: 'text', createCoercion: createTextCoercion },
  number: { native: 'number', createCoercion: () => coerceNumber },
  date: { native: 'text', createCoercion: () => coerceDate },
  checkbox: { native: 'boolean', createCoercion: () => coerceCheckbox },
  hierarchyParent: { native: 'text', createCoercion: () => coerceKey, isReference: true },
  reference: { native: 'text', createCoercion: () => coerceKey, isReference: true, options: ['target'] },
  locationTag: { native: 'text', createCoercion: createTextCoercion },
  space: { native: 'text', createCoercion: createTextCoercion },
  tagStatus: {
    native: 'text',
    createCoercion: (options) =>
      options.choices ? createChoiceCoercion(options.choices) : createTextCoercion(options),
    options: ['choices'],
  },
};

export function getCoercion(type: ColumnType, options: ColumnOptions = {}): Coercion {
  return TYPE_RULES[type].createCoercion(options);
}

export function getNativeType(type: ColumnType): NativeType {
  return TYPE_RULES[type].native;
}

export function getSqlType(type: NativeType): string {
  return SQL_TYPES[type];
}

/** Do the values of the type identify rows? */
export function isReference(type: ColumnType): boolean {
  return TYPE_RULES[type].isReference === true;
}

/** One error for each option that columns of the type do not have. */
export function findInvalidOptions(
  { key, type }: { key: string; type: ColumnType },
  options: { [Option in keyof ColumnOptions]?: unknown },
): { column: string; code: 'invalid_option'; message: string }[] {
  return COLUMN_TYPES.filter((other) => other !== type).flatMap((other) =>
    (TYPE_RULES[other].options ?? [])
      .filter((option) => (options[option] ?? null) !== null)
      .map((option) => {
        const message = `The option "${option}" is only for ${other} columns; "${key}" is a ${type} column.`;
        return { column: key, code: 'invalid_option' as const, message };
      }),
  );
}

/** Maximum number of characters of a text, of a primary key, and of a text in a column with an index. */
export const MAX_TEXT_LENGTH = 100_000;
export const MAX_KEY_LENGTH = 255;
export const MAX_INDEXED_TEXT_LENGTH = 1_000;

function createTextCoercion({ indexed = false }: ColumnOptions): Coercion {
  return indexed ? coerceIndexedText : coerceText;
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

/** A primary key or a reference to one: trimmed, NFC, at most 255 characters, null if empty. */
export function coerceKey(value: unknown): string | null | InvalidValue {
  const text = coerceText(value);
  if (typeof text !== 'string') return text as null | InvalidValue;
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const key = isAscii(trimmed) ? trimmed : trimmed.normalize('NFC');
  if (!isLonger(key, MAX_KEY_LENGTH)) return key;
  return new InvalidValue(`A key has at most ${MAX_KEY_LENGTH} characters; this has ${countCharacters(key)}.`);
}

function coerceNumber(value: unknown): StoredValue | InvalidValue {
  if (typeof value === 'number') return findNumberError(value) ?? value;
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return parseDecimal(value);
  return new InvalidValue(`${formatValue(value)} is not a number.`);
}

function coerceDate(value: unknown): StoredValue | InvalidValue {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? parseDate(value) : new InvalidValue(`${formatValue(value)} is not a date.`);
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
  const listed = [...allowed].slice(0, MAX_LISTED_CHOICES).map((choice) => formatValue(choice));
  const others = allowed.size > listed.length ? ` and ${allowed.size - listed.length} others` : '';
  return (value) => {
    const text = coerceText(value);
    if (typeof text !== 'string' || allowed.has(text)) return text;
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

/** Counts a surrogate pair once, and without a copy of the text, which may have 50 MB. */
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
