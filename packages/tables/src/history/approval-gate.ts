import type { CatalogTable } from '../catalog/catalog-table.js';
import type { OpenBatch } from './batch-records.repository.js';
import type { WrittenTable } from './batch.js';

/**
 * Decides whether a load needs approval, and takes it back if it does. The engine knows no more of proposals than this.
 */
export abstract class ApprovalGate {
  /** May a load of these tables need approval? */
  abstract mayBeNeeded(tables: readonly CatalogTable[]): boolean;

  /** Begins a load that may need approval, before its first row is written. */
  abstract begin(): Promise<void>;

  /**
   * Ends what `begin` has begun.
   *
   * @param report of the load, for the reviewers.
   * @returns the ID of the proposal that replaces the load; undefined if the load needs no approval and remains.
   * @throws {DomainError} `columns_not_approved` or `proposal_too_large`
   */
  abstract end(batch: OpenBatch, written: readonly WrittenTable[], report: object): Promise<string | undefined>;

  /** Do the changes of any table exceed what its option `approval` allows? */
  abstract isExceeded(written: readonly WrittenTable[]): Promise<boolean>;
}
