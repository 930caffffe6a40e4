import { Injectable } from '@nestjs/common';
import { type AcceptedVersions, requireVersion } from '../../../platform/http/conditional-requests.js';
import { NotFoundError } from '../../../../packages/errors/src/domain-error.js';
import { CatalogWrites } from '../../../../packages/tables/src/catalog/catalog-writes.repository.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import { RowsRepository } from '../../../../packages/tables/src/catalog/rows.repository.js';
import type { ReferringTable } from '../../../../packages/tables/src/catalog/reference-targets.js';
import { BatchRecorder } from '../../../../packages/tables/src/history/batch-recorder.js';
import type { RowChange } from '../../../../packages/tables/src/history/batch-records.repository.js';
import { type LockedTables, TableLocks } from '../catalog/table-locks.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import { createOutsidePolicyError } from '../../../../packages/tables/src/sources/row-errors.js';
import { KeyTakenError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { RowWriter } from '../../../../packages/tables/src/writer/row-writer.repository.js';
import type { RenameCountsDto, RenamedDto } from './dto/rename.dto.js';
import { type ChangedReferences, RenameChecks } from './rename-checks.js';
import { type KeyChange, RenameRepository } from './rename.repository.js';
import { createInvalidKeyError, toNewKey, toRowKey } from './row-key.js';
import type { RowReferrer } from './row-referrer.js';

export interface Rename extends KeyChange {
  /** Revisions of the row that `If-Match` accepts. */
  accepted?: AcceptedVersions;
}

/** Changes the key of a row, and everything that refers to the row. */
@Injectable()
export class RenameService {
  private readonly referrers: RowReferrer[] = [];

  constructor(
    private readonly locks: TableLocks,
    private readonly writes: CatalogWrites,
    private readonly rows: RowsRepository,
    private readonly writer: RowWriter,
    private readonly repository: RenameRepository,
    private readonly recorder: BatchRecorder,
    private readonly checks: RenameChecks,
  ) {}

  /** From now on, the referrer is called for each row that receives another key. */
  register(referrer: RowReferrer): void {
    this.referrers.push(referrer);
  }

  /**
   * Changes the key with all parents and references that name it, or nothing. A reference remains if another table has
   * a row with its key, too. The key that the row already has changes nothing.
   *
   * @throws {NotFoundError | PreconditionFailedError | InvalidTablesError | KeyTakenError | UnavailableError}
   * @throws {ReadOnlyError} if an access policy permits only to read the key, or a row that refers to it.
   */
  rename(ref: TableRef, rename: Rename): Promise<RenamedDto> {
    return this.locks.withLocks(ref, { referring: true }, (locked) => this.execute(locked, rename));
  }

  private async execute(locked: LockedTables, rename: Rename): Promise<RenamedDto> {
    const { table, readable, referring } = locked;
    const from = toRowKey(rename.from);
    const to = toNewKey(table, rename.to, from);
    const row = await this.rows.find(readable, from);
    if (!row) throw new NotFoundError('The row', undefined, 'Check the key.');
    requireVersion({ version: row.revision }, rename.accepted);
    const changed: RenameCountsDto = { children: 0, references: 0, ambiguous: 0 };
    if (from !== to) {
      if (await this.rows.find(table, to)) throw new KeyTakenError(to);
      const keys = { from, to };
      await this.checks.requireNoCycle(table, keys);
      const isAmbiguous = await this.hasOtherTarget(locked, from);
      const references = referring.map((each) => selectChanged(each, isAmbiguous));
      await this.checks.requirePermittedBefore(readable.view, table, keys, references);
      const change = await this.recorder.beginSingle();
      await this.writer.rename(table, from, to, { revision: table.revision + 1, change });
      await this.checks.requireConstraints(table, keys);
      // A policy may permit the row only by its former key.
      if (readable.permission && !(await this.rows.find(readable, to)))
        throw createInvalidKeyError(table, from, createOutsidePolicyError());
      let updated = 1;
      const changedTables = [{ ...table, revision: table.revision + 1 }];
      for (const referringTable of referring) {
        const rows = await this.changeReferences(referringTable, keys, isAmbiguous, change, changed);
        if (referringTable.table.id === table.id) updated += rows;
        else if (rows > 0) {
          const { revision } = referringTable.table;
          const changedTable = { ...referringTable.table, revision: revision + 1 };
          await this.recorder.recordRename(changedTable, revision, { updated: rows }, change);
          changedTables.push(changedTable);
        }
      }
      await this.checks.requirePermittedAfter(readable.view, table, keys, changedTables);
      table.revision++;
      await this.writes.setRevision(table, table.revision);
      await this.recorder.recordRename(table, table.revision - 1, { updated, renamed: keys }, change);
      const { workspaceId, id: tableId } = table;
      for (const referrer of this.referrers) await referrer.updateReferences({ workspaceId, tableId, ...keys });
    }
    return { table: toTableSummary(table), key: to, previousKey: from, changed };
  }

  /** Does another table have a row with the key, which references without the option `target` may mean? */
  private async hasOtherTarget({ table, tables, referring }: LockedTables, key: string): Promise<boolean> {
    if (!referring.some(({ references }) => references.some(hasSeveralTargets))) return false;
    const others = tables.filter(({ id, entity }) => id !== table.id && entity === table.entity);
    return (await this.rows.findExistingIn(others, [key])).size > 0;
  }

  /**
   * Adds the changed parents and references to `changed`, and those that another row can serve.
   *
   * @returns how many rows were changed.
   */
  private async changeReferences(
    referring: ReferringTable,
    keys: KeyChange,
    isAmbiguous: boolean,
    change: RowChange,
    changed: RenameCountsDto,
  ): Promise<number> {
    const { table, parents, references } = referring;
    const left = isAmbiguous ? references.filter(hasSeveralTargets) : [];
    for (const column of left) changed.ambiguous += await this.repository.countReferences(table, column, keys.from);
    const { columns } = selectChanged(referring, isAmbiguous);
    const revision = table.revision + 1;
    const write = { revision, change };
    const { references: counts, rows } = await this.repository.changeReferences(table, columns, keys, write);
    counts.forEach((count, at) => (changed[at < parents.length ? 'children' : 'references'] += count));
    if (rows > 0) await this.writes.setRevision(table, revision);
    return rows;
  }
}

/** The columns of a referring table that receive the new key: parents first. */
function selectChanged({ table, parents, references }: ReferringTable, isAmbiguous: boolean): ChangedReferences {
  const changed = isAmbiguous ? references.filter((column) => !hasSeveralTargets(column)) : references;
  return { table, columns: [...parents, ...changed] };
}

/** Can rows of several tables serve the references of the column? */
function hasSeveralTargets({ options }: CatalogColumn): boolean {
  return options.target === undefined;
}
