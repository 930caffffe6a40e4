import type { Sql } from '../../../sql/src/sql.js';
import type { CatalogTable } from './catalog-table.js';
import type { CatalogColumn, ColumnError } from './column-plan.js';
import { MAX_INDEXED_TEXT_LENGTH } from '../../../tabular/src/coercions.js';
import { physicalColumnName, physicalTableName } from './physical-table.js';
import { formatValue } from '../../../tabular/src/stored-value.js';
import { quoteLiteral } from '../../../sql/src/sql-literal.js';
import { isLongText, needsIndex } from './column-indexes.js';
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

/** A rule that all rows must satisfy before it is valid. */
export interface AddedRule extends ColumnRule {
  /** Does the table not have the column yet, so that no row has a value? */
  isNew: boolean;
}

interface Violation {
  /** Number of rows that violate the rule. */
  rows: number;
  /** A value that violates the rule; null for rules that are not about values. */
  example: string | null;
}

/** Checks the rows of a table against new rules for its columns. */
export class ColumnRulesRepository {
  constructor(private readonly sql: Sql) {}

  /** One error for each violated rule. Reads the table once; the caller holds its lock. */
  async findViolations(table: CatalogTable, rules: readonly AddedRule[]): Promise<ColumnError[]> {
    if (rules.length === 0) return [];
    const counts = rules.map((rule) => {
      const value = `t.${physicalColumnName(rule.column)}`;
      if (rule.isNew) return countSql('true');
      return countSql(violates(rule, value), rule.rule === 'choices' ? value : undefined);
    });
    const [found] = await this.sql.query<{ violations: Violation[] }>(
      `SELECT json_build_array(${counts.join(', ')}) AS violations FROM ${physicalTableName(table)} t`,
      [],
    );
    return rules.flatMap((rule, at) => {
      const violation = found!.violations[at]!;
      return violation.rows > 0 ? [toColumnError(rule, violation)] : [];
    });
  }
}

function countSql(condition: string, example?: string): string {
  const value = example ? `min(${example}) FILTER (WHERE ${condition})` : 'NULL';
  return `json_build_object('rows', count(*) FILTER (WHERE ${condition}), 'example', ${value})`;
}

function toColumnError({ column: { key: column }, rule }: AddedRule, { rows, example }: Violation): ColumnError {
  const have = rows === 1 ? '1 row has' : `${rows} rows have`;
  switch (rule) {
    case 'required':
      return { column, code: 'required', message: `"${column}" cannot be required: ${have} no value in it.` };
    case 'choices': {
      const message = `${have} a value in "${column}" that is not one of the choices, such as ${formatValue(example)}.`;
      return { column, code: 'type_mismatch', message };
    }
    case 'length': {
      const message = `"${column}" cannot be indexed: ${have} a text of more than ${MAX_INDEXED_TEXT_LENGTH} characters in it.`;
      return { column, code: 'too_long', message };
    }
  }
}
