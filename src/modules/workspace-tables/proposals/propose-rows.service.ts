import { Injectable } from '@nestjs/common';
import { DomainError, InvalidRequestError } from '../../../../packages/errors/src/domain-error.js';
import { RowsRepository } from '../../../../packages/tables/src/catalog/rows.repository.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import type { RowPosition } from '../../../../packages/tables/src/sources/row-errors.js';
import { MergeEngine } from '../../../../packages/tables/src/writer/merge-engine.js';
import { coerceKey } from '../../../../packages/tabular/src/coercions.js';
import { TableLocks } from '../catalog/table-locks.js';
import { PROPOSAL_ERRORS } from '../history/proposals.errors.js';
import { type ProposedDifference, ProposalsService } from './proposals.service.js';

export interface RowChanges {
  /** To create, or to update by their keys; values that are not sent remain. */
  rows: readonly unknown[];
  /** Of rows to delete. */
  keys: readonly string[];
}

/** What a proposal would change. */
export interface ProposedChanges {
  proposalId: string;
  counts: { created: number; updated: number; unchanged: number; deleted: number };
  /** The first keys to delete that no row has. */
  missingKeys: string[];
  /** The first changes. */
  differences: ProposedDifference[];
}

/** Rows that a proposal creates, updates or deletes. */
export const MAX_PROPOSED_ROWS = 500;

/** Changes and missing keys that are returned. */
const MAX_RETURNED = 20;

/** Proposes changes of rows that always wait for approval (ADR 0165). */
@Injectable()
export class ProposeRowsService {
  constructor(
    private readonly locks: TableLocks,
    private readonly rows: RowsRepository,
    private readonly engine: MergeEngine,
    private readonly proposals: ProposalsService,
  ) {}

  /**
   * Stores a proposal, and no row.
   *
   * @throws {NotFoundError | ReadOnlyError | InvalidTablesError | InvalidRequestError}
   * @throws {DomainError} `nothing_to_propose`, `proposal_too_large`
   */
  async propose(ref: TableRef, changes: RowChanges, userId: string): Promise<ProposedChanges> {
    requireNumber(changes.rows.length + changes.keys.length);
    const stored = await this.store(ref, changes, userId);
    const { proposalId: id } = stored;
    return { ...stored, differences: await this.proposals.listDifferences({ view: ref.view, id }, MAX_RETURNED) };
  }

  private store(
    ref: TableRef,
    { rows, keys }: RowChanges,
    userId: string,
  ): Promise<Omit<ProposedChanges, 'differences'>> {
    return this.locks.withLocks(ref, { referring: false }, async ({ table, readable }) => {
      const { view } = readable;
      const stored = keys.map((key) => coerceKey(key)).filter((key) => typeof key === 'string');
      // The rows that an access policy hides are missing.
      const existing = await this.rows.findExisting(readable, stored);
      const locked = await this.engine.readLocked(view, table, { items: rows, deletions: [...existing] });
      const [contradiction] = (await locked.plan.source.findByKeys(stored)).first;
      if (contradiction) throw createContradictionError(contradiction);
      const origin = { source: 'assistant', userId, needsApproval: true } as const;
      const { proposalId, totals } = await this.engine.write({ view, options: { origin }, tables: [locked] });
      // The transaction fails, so that the batch without changes is not recorded.
      if (proposalId === undefined)
        throw new DomainError(PROPOSAL_ERRORS.nothing_to_propose, undefined, {
          field: rows.length > 0 ? 'rows' : 'deleteKeys',
        });
      const { created, updated, unchanged, deleted = 0 } = totals;
      const missingKeys = keys.filter((key) => !existing.has(coerceKey(key) as string));
      const counts = { created, updated, unchanged, deleted };
      return { proposalId, counts, missingKeys: missingKeys.slice(0, MAX_RETURNED) };
    });
  }
}

/** @throws {InvalidRequestError} */
function requireNumber(changes: number): void {
  if (changes > 0 && changes <= MAX_PROPOSED_ROWS) return;
  const message = `Send 1 to ${MAX_PROPOSED_ROWS} rows and deleteKeys together; ${changes} were sent.`;
  throw new InvalidRequestError([{ field: 'rows', code: 'invalid_field', message }]);
}

/** A row cannot be written and deleted by one proposal. */
function createContradictionError({ index, key }: RowPosition): InvalidRequestError {
  const message = `The row with the key "${String(key)}" is also to be deleted. Send its key only once.`;
  return new InvalidRequestError([{ field: `rows[${index}]`, code: 'invalid_field', message }], message);
}
