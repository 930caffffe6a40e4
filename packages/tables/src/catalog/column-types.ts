import { type ColumnType } from '../../../tabular/src/coercions.js';
import type { EntityKind } from './entity-kind.js';

/** Options that limit the values of rows: see `column-constraints.ts` (ADR 0164). */
export const CONSTRAINTS = [
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'earliest',
  'latest',
  'unique',
  'mustExist',
] as const;
export type ConstraintRule = (typeof CONSTRAINTS)[number];

/** Codes of the errors of rows that violate a constraint. */
export const CONSTRAINT_CODES = {
  minimum: 'below_minimum',
  maximum: 'above_maximum',
  minLength: 'too_short',
  maxLength: 'too_long',
  pattern: 'pattern_mismatch',
  earliest: 'too_early',
  latest: 'too_late',
  unique: 'not_unique',
  mustExist: 'target_missing',
} as const satisfies Record<ConstraintRule, string>;
export type ConstraintCode = (typeof CONSTRAINT_CODES)[ConstraintRule];

/** `warning`: rows that violate a constraint of the column are stored and reported. */
export const CONSTRAINT_LEVELS = ['error', 'warning'] as const;
export type ConstraintLevel = (typeof CONSTRAINT_LEVELS)[number];

/**
 * How columns of each type are stored, and their options (specification, section 2.3). To add a type, add its name and
 * the values that it accepts to packages/tabular/src/coercions.ts, its rules to TYPE_RULES, and cases to the
 * table-driven tests of this file. Requests describe the options in dto/column.dto.ts.
 */
export interface ColumnOptions {
  /** For `reference`: the table whose rows the values identify. Default: all Locations tables. */
  target?: { entity: EntityKind; table: string };
  /** The allowed values. Default: any text. */
  choices?: string[];
  /** Build an index for filters and sorting? */
  indexed?: boolean;
  /** Constraints. */
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  /** A day, or `today`. */
  earliest?: string;
  latest?: string;
  unique?: boolean;
  mustExist?: boolean;
  /** The level of the constraints; default `error`. */
  level?: ConstraintLevel;
}

/** How PostgreSQL stores the values of a column. */
export type NativeType = 'text' | 'number' | 'boolean';

const SQL_TYPES: Record<NativeType, string> = { text: 'text', number: 'double precision', boolean: 'boolean' };

interface TypeRules {
  native: NativeType;
  /** Do the values identify rows? */
  isReference?: boolean;
}

const TYPE_RULES: Record<ColumnType, TypeRules> = {
  text: { native: 'text' },
  number: { native: 'number' },
  date: { native: 'text' },
  checkbox: { native: 'boolean' },
  hierarchyParent: { native: 'text', isReference: true },
  reference: { native: 'text', isReference: true },
  locationTag: { native: 'text' },
  space: { native: 'text' },
  tagStatus: { native: 'text' },
};

const TEXTS = ['text', 'locationTag', 'space', 'tagStatus'] as const;

/** The types of the columns that may have an option. All columns may have the others. */
const OPTION_TYPES: Partial<Record<keyof ColumnOptions, readonly ColumnType[]>> = {
  target: ['reference'],
  choices: ['text', 'tagStatus'],
  minimum: ['number'],
  maximum: ['number'],
  minLength: TEXTS,
  maxLength: TEXTS,
  pattern: TEXTS,
  earliest: ['date'],
  latest: ['date'],
  unique: [...TEXTS, 'number', 'date', 'reference'],
  mustExist: ['reference', 'hierarchyParent', 'locationTag'],
};

/** May columns of the type be `unique`, or a part of `uniqueTogether`? */
export function isUniqueType(type: ColumnType): boolean {
  return OPTION_TYPES.unique!.includes(type);
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

/** Can a value of the column be an unresolved reference? That of a `locationTag`, a tag, only if it must exist. */
export function mayBeUnresolved({ type, options }: { type: ColumnType; options: ColumnOptions }): boolean {
  return isReference(type) || (type === 'locationTag' && options.mustExist === true);
}

/** One error for each option that columns of the type do not have. */
export function findInvalidOptions(
  { key, type }: { key: string; type: ColumnType },
  options: { [Option in keyof ColumnOptions]?: unknown },
): { column: string; code: 'invalid_option'; message: string }[] {
  return (Object.keys(OPTION_TYPES) as (keyof ColumnOptions)[])
    .filter((option) => (options[option] ?? null) !== null && !OPTION_TYPES[option]!.includes(type))
    .map((option) => {
      const types = OPTION_TYPES[option]!;
      const listed = types.length > 1 ? `${types.slice(0, -1).join(', ')} and ${types.at(-1)}` : types[0];
      const message = `The option "${option}" is only for ${listed} columns; "${key}" is a ${type} column.`;
      return { column: key, code: 'invalid_option' as const, message };
    });
}
