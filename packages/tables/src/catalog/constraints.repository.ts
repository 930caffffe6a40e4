import { MAX_INDEXED_TEXT_LENGTH } from '../../../tabular/src/coercions.js';
import { formatValue, MAX_SHOWN, type StoredValue } from '../../../tabular/src/stored-value.js';
import { SQLSTATE, sqlState } from '../../../sql/src/sql-state.js';
import type { Sql } from '../../../sql/src/sql.js';
import { Savepoint } from '../../../sql/src/savepoint.js';
import type { CatalogTable } from './catalog-table.js';
import {
  type Constraint,
  findInvalidConstraints,
  listConstraints,
  TODAY,
  type Violation,
} from './column-constraints.js';
import { isLongText, needsIndex } from './column-indexes.js';
import type { CatalogColumn, ColumnError } from './column-plan.js';
import { compileMissing, isInSpace, type KeySpace } from './row-sql.js';
import { physicalColumnName, physicalKeyName, physicalTableName, sortExpression } from './physical-table.js';
import { ReferenceLookup } from './reference-targets.js';
import { quoteLiteral } from '../../../sql/src/sql-literal.js';
import { getNativeType } from './column-types.js';

/** The longest time that the compilation of a pattern may take, in milliseconds. */
const COMPILATION_MS = 1_000;

/** Why a pattern is invalid, by the texts of PostgreSQL, which it does not translate. */
const PATTERN_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['parentheses () not balanced', 'a parenthesis has no counterpart'],
  ['brackets [] not balanced', 'a bracket has no counterpart'],
  ['braces {} not balanced', 'a brace has no counterpart'],
  ['quantifier operand invalid', 'nothing that can be repeated is before a quantifier such as * or +'],
  ['invalid repetition count(s)', 'a count in braces is not a number from 0 to 255, or the first exceeds the second'],
  ['invalid character range', 'a range in brackets ends before it begins'],
  ['invalid character class', 'a class such as [[:alpha:]] does not exist'],
  ['invalid collating element', 'an element such as [[.a.]] does not exist'],
  ['invalid escape \\ sequence', 'the character after a backslash has no meaning'],
  ['invalid backreference number', 'a backreference such as \\1 has no group'],
  ['invalid embedded option', 'the options at the start, such as (?i), do not exist'],
  ['regular expression is too complex', 'it is too complex'],
]);

/** Which rows of a table are checked. */
export interface CheckedRows {
  /** SQL condition on the row `r`. Without it, all rows are checked. */
  condition?: string;
  /** Default: all constraints of the table. */
  constraints?: readonly Constraint[];
}

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

/** What violates a rule. */
interface RuleViolation {
  /** Number of rows that violate the rule. */
  rows: number;
  /** A value that violates the rule; null for rules that are not about values. */
  example: string | null;
}

interface FoundViolation {
  key: string;
  /** The position of the constraint. */
  position: number;
  value: StoredValue;
  otherKey: string | null;
}

/**
 * Checks stored rows against the constraints of their columns, and against new rules. The caller has the lock of the
 * table.
 */
export class ConstraintsRepository {
  constructor(
    private readonly sql: Sql,
    private readonly references: ReferenceLookup,
  ) {}

  /** The violations in the order of the keys. @param limit of the list. */
  async find(table: CatalogTable, rows: CheckedRows = {}, limit?: number): Promise<Violation[]> {
    const { constraints = listConstraints(table), condition = 'true' } = rows;
    if (constraints.length === 0) return [];
    const checked = await this.lookUpTargets(table, constraints);
    const conditions = constraints.map((constraint) => violatesConstraint(constraint, checked, condition));
    const details = constraints.map((constraint, position) => {
      const value = `to_json(${selectShown(constraint.column)})`;
      return `(${position}, ${conditions[position]}, ${value}, ${otherKey(constraint, table)})`;
    });
    const found = await this.sql.query<FoundViolation>(
      `SELECT r.${physicalKeyName(table)} AS key, v.position, v.value, v.other_key AS "otherKey"
         FROM (SELECT * FROM ${physicalTableName(table)} r WHERE ${condition} AND (${conditions.join(' OR ')})) r
        CROSS JOIN LATERAL (VALUES ${details.join(', ')}) v (position, is_violated, value, other_key)
        WHERE v.is_violated ORDER BY 1, 2 ${limit === undefined ? '' : `LIMIT ${limit}`}`,
      [],
    );
    return found.map(({ position, ...violation }) => ({ ...violation, constraint: constraints[position]! }));
  }

  /** The number of the checked rows that violate each of the constraints, in their order. */
  async count(table: CatalogTable, rows: CheckedRows = {}): Promise<number[]> {
    const { constraints = listConstraints(table), condition = 'true' } = rows;
    if (constraints.length === 0) return [];
    const checked = await this.lookUpTargets(table, constraints);
    const counts = constraints.map(
      (constraint) => `count(*) FILTER (WHERE ${violatesConstraint(constraint, checked, condition)})`,
    );
    const [found] = await this.sql.query<{ counts: number[] }>(
      `SELECT json_build_array(${counts.join(', ')}) AS counts FROM ${physicalTableName(table)} r WHERE ${condition}`,
      [],
    );
    return found!.counts;
  }

  /** An error for each option of a constraint that is invalid, and for each pattern that PostgreSQL rejects. */
  async findInvalid(columns: readonly CatalogColumn[]): Promise<ColumnError[]> {
    const errors = columns.flatMap(findInvalidConstraints);
    if (errors.length > 0) return errors;
    const invalid: ColumnError[] = [];
    for (const { key, options } of columns) {
      const reason = options.pattern === undefined ? undefined : await this.compilePattern(options.pattern);
      if (reason === undefined) continue;
      invalid.push({ column: key, code: 'invalid_option', message: `The option "pattern" is invalid: ${reason}.` });
    }
    return invalid;
  }

  /** One error for each violated rule. Reads the table once; the caller holds its lock. */
  async findViolations(table: CatalogTable, rules: readonly AddedRule[]): Promise<ColumnError[]> {
    if (rules.length === 0) return [];
    const counts = rules.map((rule) => {
      const value = `t.${physicalColumnName(rule.column)}`;
      if (rule.isNew) return countSql('true');
      return countSql(violates(rule, value), rule.rule === 'choices' ? value : undefined);
    });
    const [found] = await this.sql.query<{ violations: RuleViolation[] }>(
      `SELECT json_build_array(${counts.join(', ')}) AS violations FROM ${physicalTableName(table)} t`,
      [],
    );
    return rules.flatMap((rule, at) => {
      const violation = found!.violations[at]!;
      return violation.rows > 0 ? [toColumnError(rule, violation)] : [];
    });
  }

  /** Why PostgreSQL rejects the pattern, if it does. */
  private compilePattern(pattern: string): Promise<string | undefined> {
    return this.sql.transaction(async () => {
      const savepoint = new Savepoint(this.sql, 'pattern');
      await savepoint.begin();
      try {
        await this.sql.query(`SET LOCAL statement_timeout = ${COMPILATION_MS}`);
        await this.sql.query(`SELECT '' ~ $1`, [pattern]);
        return undefined;
      } catch (error) {
        const state = sqlState(error);
        if (state === SQLSTATE.queryCanceled) return `compiling it takes more than ${COMPILATION_MS} ms`;
        if (state !== SQLSTATE.invalidRegularExpression) throw error;
        const [reason = ''] = /[^:]*$/.exec((error as Error).message) ?? [];
        return PATTERN_PROBLEMS.get(reason.trim()) ?? 'it is not a regular expression of PostgreSQL';
      } finally {
        await savepoint.rollBack();
      }
    });
  }

  private async lookUpTargets(table: CatalogTable, constraints: readonly Constraint[]): Promise<CheckedTable> {
    const columns = constraints.filter(({ rule }) => rule === 'mustExist').map(({ column }) => column);
    const found = await this.references.findAllTargets(columns.map((column) => ({ table, column })));
    const targets = new Map([...found].map(([column, space]) => [column, withRowsOf(table, space)]));
    return { table, targets };
  }
}

/** The space with the rows of the table as they are checked, if they belong to it: its `rows` may replace them. */
function withRowsOf(table: CatalogTable, space: KeySpace): KeySpace {
  // References to rows that a policy hides are resolved.
  if (!isInSpace(table, space) || table.permission) return space;
  return space.map((each) => (each.id === table.id ? table : each));
}

/** Where the rows are, and the rows that references may name. */
export interface CheckedTable {
  table: CatalogTable;
  /** Where the columns with `mustExist` look for keys. */
  targets: ReadonlyMap<CatalogColumn, KeySpace>;
}

/**
 * SQL condition: does the row `r` violate the constraint? An empty value violates none; the empty text is one.
 *
 * @param isChecked SQL condition on the row `r`: does the statement check it?
 */
export function violatesConstraint(
  { column, rule, others = [] }: Constraint,
  { table, targets }: CheckedTable,
  isChecked: string,
): string {
  const name = physicalColumnName(column);
  const value = `r.${name}`;
  const { options } = column;
  switch (rule) {
    case 'minimum':
      return `${value} < ${numberLiteral(options.minimum!)}`;
    case 'maximum':
      return `${value} > ${numberLiteral(options.maximum!)}`;
    case 'minLength':
      return `(${value} <> '' AND char_length(${value}) < ${options.minLength!})`;
    case 'maxLength':
      return `char_length(${value}) > ${options.maxLength!}`;
    case 'pattern':
      return `(${value} <> '' AND ${value} !~ ${quoteLiteral(options.pattern!)})`;
    case 'earliest':
      return `left(${value}, 10) < ${dayLiteral(options.earliest!)}`;
    case 'latest':
      return `left(${value}, 10) > ${dayLiteral(options.latest!)}`;
    case 'unique': {
      const rows = physicalTableName(table);
      // An index contains only the first characters of a text: they choose the rows whose values are counted.
      const checked = `SELECT ${sortExpression(column, 'r.')} FROM ${rows} r WHERE ${isChecked}`;
      const listed = (alias: string) =>
        [column, ...others].map((each) => `${alias}.${physicalColumnName(each)}`).join(', ');
      const texts = [column, ...others].filter(({ type }) => getNativeType(type) === 'text');
      const isFilled = texts.map((each) => `r.${physicalColumnName(each)} <> '' AND `).join('');
      return `(${isFilled}(${listed('r')}) IN (SELECT ${listed('o')} FROM ${rows} o WHERE ${sortExpression(column, 'o.')} IN (${checked})
                            GROUP BY ${listed('o')} HAVING count(*) > 1))`;
    }
    case 'mustExist':
      return `(${value} IS NOT NULL AND ${compileMissing(targets.get(column)!, value)})`;
  }
}

/** SQL: with `unique`, the key of another row that has the value of the row `r`. */
export function otherKey({ column, rule, others = [] }: Constraint, table: CatalogTable): string {
  if (rule !== 'unique') return 'NULL::text';
  const key = physicalKeyName(table);
  const isEqual = [column, ...others].map(physicalColumnName).map((name) => `o.${name} = r.${name}`);
  return `(SELECT min(o.${key}) FROM ${physicalTableName(table)} o
            WHERE ${sortExpression(column, 'o.')} = ${sortExpression(column, 'r.')} AND ${isEqual.join(' AND ')} AND o.${key} <> r.${key})`;
}

/** SQL: the value of the row `r`, as far as a message shows it. 100,000 rows may have long texts. */
function selectShown(column: CatalogColumn): string {
  const value = `r.${physicalColumnName(column)}`;
  return getNativeType(column.type) === 'text' ? `left(${value}, ${MAX_SHOWN})` : value;
}

function numberLiteral(value: number): string {
  return `${quoteLiteral(String(value))}::double precision`;
}

function dayLiteral(day: string): string {
  return day === TODAY ? `to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD') COLLATE "C"` : quoteLiteral(day);
}

function countSql(condition: string, example?: string): string {
  const value = example ? `min(${example}) FILTER (WHERE ${condition})` : 'NULL';
  return `json_build_object('rows', count(*) FILTER (WHERE ${condition}), 'example', ${value})`;
}

function toColumnError({ column: { key: column }, rule }: AddedRule, { rows, example }: RuleViolation): ColumnError {
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
