import { Injectable } from '@nestjs/common';
import type { LockedTable } from '../../../../packages/tables/src/writer/table-plan.js';
import { Config } from '../../../platform/config/config.js';
import { MAX_LISTED_ERRORS } from '../../../../packages/errors/src/domain-error.js';
import { UndoService } from '../batches/undo.service.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { CatalogWrites } from '../../../../packages/tables/src/catalog/catalog-writes.repository.js';
import { hashRowRules } from '../../../../packages/tables/src/catalog/table-options.js';
import type { View } from '../../../../packages/tables/src/catalog/view.js';
import { MergeEngine } from '../../../../packages/tables/src/writer/merge-engine.js';
import type { BatchOrigin } from '../../../../packages/tables/src/history/batch-records.repository.js';
import { ProposalOutdatedError } from '../history/proposals.errors.js';
import { ProposalsRepository } from '../history/proposals.repository.js';
import type { ProposedTable, TableProposal } from '../history/table-proposal.entity.js';
import type { RowStream } from '../../../../packages/tables/src/sources/staging-row-source.js';
import { InvalidTablesError, type TableError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { ProposalChanges, type TableChanges } from './proposal-changes.js';

/** Why the changes are applied: they are approved, or they are compared again and then rolled back. */
export type Purpose =
  { isApproved: true; comparedProposalId?: undefined } | { isApproved?: undefined; comparedProposalId: string };

type Counts = ProposedTable['counts'];

/** What a write has done to a table. */
interface AppliedTable {
  id: string;
  counts: Counts;
}

/** Applies the changes of proposals to the stored rows. */
@Injectable()
export class ProposalApplier {
  constructor(
    private readonly writes: CatalogWrites,
    private readonly engine: MergeEngine,
    private readonly undos: UndoService,
    private readonly changes: ProposalChanges,
    private readonly proposals: ProposalsRepository,
    private readonly config: Config,
  ) {}

  /**
   * Applies the changes as one batch, in the open transaction. An undo is done again: the rows that it restores are
   * unchanged, so it does the same.
   *
   * @param changes of a proposal that is not an undo; otherwise empty.
   * @returns the ID of the batch; undefined if the changes were compared.
   * @throws {ProposalOutdatedError} if the result would not be what was compared.
   */
  async apply(
    view: View,
    proposal: TableProposal,
    changes: readonly TableChanges[],
    userId: string,
    purpose: Purpose,
  ): Promise<string | undefined> {
    const tables = await this.lockTables(proposal);
    if (purpose.isApproved) requireSameColumns(proposal, tables);
    await this.requireStored(proposal, tables, purpose);
    const { batchId, applied } =
      proposal.undoes === null
        ? await this.merge(view, proposal, tables, changes, { userId, ...purpose })
        : await this.undo(view, proposal, proposal.undoes, { userId, ...purpose });
    if (purpose.isApproved) requireSameCounts(proposal, applied);
    return batchId;
  }

  private async lockTables({ workspaceId, tables }: TableProposal): Promise<CatalogTable[]> {
    const ids = tables.map(({ id }) => id);
    const locked = await this.writes.lockByIds(workspaceId, ids);
    return tables.map(({ id, name }) => {
      const table = locked.get(id);
      if (table) return table;
      const reason = `The table "${name}" was dropped since the proposal was compared`;
      // A comparison does not bring the table back.
      throw new ProposalOutdatedError(reason, [], 0, 'Reject the proposal, and send the load again.');
    });
  }

  /**
   * Rows of an approved proposal must be unchanged. If they are compared again, only those that it changes must still
   * exist: it contains no more than their changed values.
   */
  private async requireStored(
    proposal: TableProposal,
    tables: readonly CatalogTable[],
    { isApproved }: Purpose,
  ): Promise<void> {
    const errors: TableError[] = [];
    let total = 0;
    for (const table of tables)
      for await (const rows of this.changes.readPages(proposal, table.id)) {
        const keys = isApproved
          ? await this.proposals.findChanged(table, rows)
          : await this.proposals.findMissing(
              table,
              rows.filter(({ change }) => change === 'update'),
            );
        total += keys.length;
        const listed = keys.slice(0, MAX_LISTED_ERRORS - errors.length);
        errors.push(...listed.map((key) => toRowError(table, key, isApproved ? 'changed' : 'deleted')));
      }
    if (total === 0) return;
    const problem = isApproved ? 'changed' : 'deleted';
    const count = total === 1 ? '1 row was' : `${total} rows were`;
    throw new ProposalOutdatedError(`${count} ${problem} since the proposal was compared`, errors, total);
  }

  private async merge(
    view: View,
    { source, importId }: TableProposal,
    tables: readonly CatalogTable[],
    changes: readonly TableChanges[],
    origin: Purpose & Pick<BatchOrigin, 'userId'>,
  ): Promise<{ batchId?: string; applied: AppliedTable[] }> {
    const options = { origin: { ...origin, source, importId: importId ?? undefined } };
    const { timeoutS } = this.config.imports;
    try {
      const locked: LockedTable[] = [];
      for (const [at, { file, deletions }] of changes.entries()) {
        const items: RowStream = { timeoutS, open: (table) => file.open(table), reportProgress: () => undefined };
        locked.push(await this.engine.readLocked(view, tables[at]!, { items, deletions }, at));
      }
      const report = await this.engine.write({ view, options, tables: locked });
      const applied = report.tables.map(({ id, created, updated, deleted = 0 }) => {
        return { id, counts: { created, updated, deleted } };
      });
      return { batchId: report.batchId, applied };
    } catch (error) {
      if (!(error instanceof InvalidTablesError)) throw error;
      const { errors = [], total } = error.details ?? {};
      // The positions are those of the changes, not of the load.
      const named = (errors as TableError[]).map((each) => ({ ...each, index: undefined, line: undefined }));
      throw new ProposalOutdatedError('Rows of the proposal cannot be stored now', named, total);
    }
  }

  private async undo(
    view: View,
    { skipConflicts }: TableProposal,
    id: string,
    origin: Purpose & Pick<BatchOrigin, 'userId'>,
  ): Promise<{ batchId?: string; applied: readonly AppliedTable[] }> {
    const { batchId, tables } = await this.undos.execute({ view, id, skipConflicts, ...origin });
    // Only lists of batches can lack counts.
    return { batchId, applied: tables.map(({ id: tableId, counts }) => ({ id: tableId, counts: counts! })) };
  }
}

function requireSameColumns(proposal: TableProposal, tables: readonly CatalogTable[]): void {
  for (const [at, { columns, options, name }] of tables.entries())
    if (hashRowRules(columns, options) !== proposal.tables[at]!.rules)
      throw new ProposalOutdatedError(
        `The columns or options of the table "${name}" were changed since the proposal was compared`,
      );
}

/** The rows are unchanged, but what follows from others may differ: references, or conflicts of an undo. */
function requireSameCounts({ tables }: TableProposal, applied: readonly AppliedTable[]): void {
  const compared = new Map(tables.map(({ id, counts }) => [id, counts]));
  const isSame = applied.every(({ id, counts }) => {
    const { created, updated, deleted } = compared.get(id) ?? { created: 0, updated: 0, deleted: 0 };
    return counts.created === created && counts.updated === updated && counts.deleted === deleted;
  });
  if (!isSame) throw new ProposalOutdatedError('Other rows than those compared would change now');
}

function toRowError({ entity, name }: CatalogTable, key: string, problem: 'changed' | 'deleted'): TableError {
  const message = `The row "${key}" was ${problem} since the proposal was compared.`;
  return { type: entity, table: name, key, code: 'changed_since', message };
}
