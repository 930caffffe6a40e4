import { COLUMN_TYPES, type ColumnType } from '../../../../packages/tabular/src/coercions.js';
import type { EntityKind } from './entity-kind.js';

/**
 * How columns of each type are stored, and their options (specification, section 2.3). To add a type, add its name and
 * the values that it accepts to packages/tabular/src/coercions.ts, its rules to TYPE_RULES, and cases to the
 * table-driven tests of this file. Requests describe the options in dto/column.dto.ts.
 */
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

interface TypeRules {
  native: NativeType;
  /** Do the values identify rows? */
  isReference?: boolean;
  /** The options that only this type has. */
  options?: readonly (keyof ColumnOptions)[];
}

const TYPE_RULES: Record<ColumnType, TypeRules> = {
  text: { native: 'text' },
  number: { native: 'number' },
  date: { native: 'text' },
  checkbox: { native: 'boolean' },
  hierarchyParent: { native: 'text', isReference: true },
  reference: { native: 'text', isReference: true, options: ['target'] },
  locationTag: { native: 'text' },
  space: { native: 'text' },
  tagStatus: { native: 'text', options: ['choices'] },
};

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
