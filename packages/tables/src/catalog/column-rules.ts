import { MAX_INDEXED_TEXT_LENGTH } from '../../../tabular/src/coercions.js';
import { quoteLiteral } from '../../../sql/src/sql-literal.js';
import { isLongText, needsIndex } from './column-indexes.js';
import type { CatalogColumn } from './column-plan.js';
import { getNativeType } from './column-types.js';

/** A rule for the values of a column that an edit can add: rows that were valid before can violate it. */
export type ColumnRuleKind = 'required' | 'choices' | 'length';

export interface ColumnRule {
  column: CatalogColumn;
  rule: ColumnRuleKind;
}

/** The rules of a column. Primary keys are never empty. */
export function listRules(column: CatalogColumn): ColumnRule[] {
  const rules: ColumnRuleKind[] = [];
  if (column.required && !column.primaryKey) rules.push('required');
  if (column.options.choices) rules.push('choices');
  if (isLongText(column) && needsIndex(column)) rules.push('length');
  return rules.map((rule) => ({ column, rule }));
}

/** SQL: does the value violate the rule? The empty text is an empty value. @param value SQL expression */
export function violates({ column, rule }: ColumnRule, value: string): string {
  switch (rule) {
    case 'required':
      return getNativeType(column.type) === 'text' ? `(${value} IS NULL OR ${value} = '')` : `${value} IS NULL`;
    case 'choices':
      return `${value} <> ALL (ARRAY[${['', ...column.options.choices!].map(quoteLiteral).join(', ')}]::text[])`;
    case 'length':
      return `char_length(${value}) > ${MAX_INDEXED_TEXT_LENGTH}`;
  }
}
