import { Savepoint } from '../../../sql/src/savepoint.js';
import type { Sql } from '../../../sql/src/sql.js';
import { MAX_LISTED_ERRORS } from '../../../errors/src/domain-error.js';
import { type Constraint, describeViolation, listConstraints, type Violation } from '../catalog/column-constraints.js';
import { type CheckedRows, ConstraintsRepository } from '../catalog/constraints.repository.js';
import { createOutsideScopeError, type RowErrorContent, type RowPosition } from '../sources/row-errors.js';
import type { MergedState } from '../sources/staging.repository.js';
import type { RowSource } from '../sources/row-source.js';
import { rejectCycles } from './parent-cycles.js';
import { isVisible, PolicyChecks } from './policy-checks.js';
import { type LockedTable, type MergeOptions, requireValidRows, type TablePlan } from './table-plan.js';
import type { MergedTable } from './upsert-report.js';

/** What is wrong with the rows that a merge has written to a table. */
interface Findings {
  table: MergedTable;
  violations: readonly Violation[];
  /** Keys of rows outside of what the policies permit. */
  unpermitted: readonly string[];
  /** Were all found, and not only the first? */
  isComplete: boolean;
}

/** Violations, and rows outside of a scope, that are read at once. */
export const MAX_VIOLATIONS = 100_000;

/**
 * Checks the rows that a merge has written against the constraints of their columns and the access policies of the
 * caller. `unique`, `mustExist` and `under` depend on other rows, which are known only after the merge (ADR 0164).
 */
export class ConstraintChecks {
  constructor(
    private readonly sql: Sql,
    private readonly constraints: ConstraintsRepository,
    private readonly policies: PolicyChecks,
  ) {}

  /**
   * Writes the rows. While rows are outside of the scope of a replacement, or violate a constraint or a policy, rolls
   * back to a savepoint, rejects these rows and writes the others again.
   *
   * @throws {InvalidTablesError}
   */
  async writeValidRows(
    tables: readonly LockedTable[],
    { continueOnError, allowsViolations }: Pick<MergeOptions, 'continueOnError' | 'allowsViolations'>,
    write: () => Promise<MergedTable[]>,
  ): Promise<MergedTable[]> {
    const plans = tables.map(({ plan }) => plan);
    if (!plans.some(isChecked)) {
      if (!continueOnError) requireValidRows(plans);
      return write();
    }
    const countErrors = () => plans.reduce((sum, { source }) => sum + source.errors.total, 0);
    const attempt = new Savepoint(this.sql, 'attempt');
    for (;;) {
      const before = countErrors();
      await attempt.begin();
      const merged = await write();
      const isOutside = merged.some(({ outsideScope }) => outsideScope.length > 0);
      const findings = isOutside
        ? merged.map(toScopeFindings)
        : await this.findErrors(merged, allowsViolations ? [] : ['error']);
      const isRejected =
        isOutside || findings.some(({ violations, unpermitted }) => violations.length + unpermitted.length > 0);
      if (isRejected) await attempt.rollBack();
      for (const { table, violations, unpermitted } of findings) {
        const { source } = table.plan;
        if (isOutside) await source.reject(await source.findByKeys(table.outsideScope), createOutsideScopeError);
        await rejectViolations(source, violations);
        await this.policies.rejectUnpermitted(source, unpermitted);
      }
      // Otherwise the rows would be written and rolled back forever.
      if (isRejected && countErrors() === before) throw new Error('A row that was not sent violates a constraint.');
      // All errors are reported together, whatever has found them.
      if (!continueOnError && findings.every(({ isComplete }) => isComplete)) requireValidRows(plans);
      if (isRejected) {
        // A rejected row retains its stored parent.
        if (continueOnError) for (const table of tables) await rejectCycles(table);
        continue;
      }
      await attempt.release();
      for (const table of merged) await this.addWarnings(table, allowsViolations ?? false);
      return merged;
    }
  }

  /**
   * Rejects the rows of a source as long as rows would violate a constraint after a merge. Nothing is merged.
   *
   * @param prepare returns the table as the merge would leave it, and which of its rows the merge would change.
   */
  async rejectMergedViolations(
    locked: LockedTable,
    source: RowSource,
    prepare: () => Promise<MergedState>,
  ): Promise<void> {
    const constraints = listConstraints(locked.table).filter(({ level }) => level === 'error');
    if (constraints.length === 0) return;
    for (let before = -1; before < source.errors.total;) {
      before = source.errors.total;
      const { merged, condition } = await prepare();
      const violations = await this.constraints.find(merged, { condition, constraints }, MAX_VIOLATIONS);
      const { found, outside } = await this.policies.hideViolations(locked, violations);
      await rejectViolations(source, found);
      await this.policies.rejectUnpermitted(source, outside);
    }
  }

  private async findErrors(
    merged: readonly MergedTable[],
    levels: readonly Constraint['level'][],
  ): Promise<Findings[]> {
    const findings: Findings[] = [];
    for (const table of merged) {
      const all = await this.constraints.find(table.table, selectChanged(table, levels), MAX_VIOLATIONS);
      const { found: violations, outside } = await this.policies.hideViolations(table, all);
      const written = await this.policies.findWrittenUnpermitted(table, MAX_VIOLATIONS);
      const isComplete = all.length < MAX_VIOLATIONS && written.length < MAX_VIOLATIONS;
      findings.push({ table, violations, unpermitted: [...new Set([...outside, ...written])], isComplete });
    }
    return findings;
  }

  /** @param withLevels also constraints whose violations are errors otherwise. */
  private async addWarnings({ warnings, ...merged }: MergedTable, withLevels: boolean): Promise<void> {
    const { table, plan } = merged;
    const changed = selectChanged(merged, withLevels ? ['error', 'warning'] : ['warning']);
    const { condition } = changed;
    const constraints = changed.constraints.filter((constraint) => isVisible(constraint, plan.permitted));
    const counts = await this.constraints.count(table, { condition, constraints });
    for (const [position, constraint] of constraints.entries()) {
      const total = counts[position]!;
      if (total === 0) continue;
      const rows = { condition, constraints: [constraint] };
      const { found } = await this.policies.hideViolations(
        merged,
        await this.constraints.find(table, rows, MAX_LISTED_ERRORS),
      );
      const byKey = toMap(found);
      const { first } = await plan.source.findByKeys([...byKey.keys()]);
      const level = withLevels ? constraint.level : undefined;
      const errors = first.map((row) => ({ ...row, ...toError(byKey)(row), level }));
      warnings.addKind(errors, total, total);
    }
  }
}

/** Can a row be rejected after it was written? */
function isChecked({ input, columns, found, permitted }: TablePlan): boolean {
  if (permitted !== undefined || input.replacement?.selectScope !== undefined) return true;
  return listConstraints({ ...columns, options: found?.options }).length > 0;
}

/** Rows outside of the scope are rejected first: their other errors are not reported. */
function toScopeFindings(table: MergedTable): Findings {
  return { table, violations: [], unpermitted: [], isComplete: table.outsideScope.length < MAX_VIOLATIONS };
}

/** The rows that the merge has changed: those with the revision that the table has now. */
function selectChanged(
  { table, fromRevision }: Pick<MergedTable, 'table' | 'fromRevision'>,
  levels: readonly Constraint['level'][],
): Required<CheckedRows> {
  const constraints = table.revision > fromRevision ? listConstraints(table) : [];
  return {
    condition: `r._revision = ${table.revision}`,
    constraints: constraints.filter(({ level }) => levels.includes(level)),
  };
}

async function rejectViolations(source: RowSource, violations: readonly Violation[]): Promise<void> {
  const constraints = new Set(violations.map(({ constraint }) => constraint));
  const checks = [];
  for (const constraint of constraints) {
    const byKey = toMap(violations.filter((violation) => violation.constraint === constraint));
    checks.push({ found: await source.findByKeys([...byKey.keys()]), toError: toError(byKey) });
  }
  await source.rejectAll(checks);
}

function toMap(violations: readonly Violation[]): Map<string, Violation> {
  return new Map(violations.map((violation) => [violation.key, violation]));
}

function toError(byKey: ReadonlyMap<string, Violation>): (row: RowPosition) => RowErrorContent {
  return ({ key }) => describeViolation(byKey.get(key!)!);
}
