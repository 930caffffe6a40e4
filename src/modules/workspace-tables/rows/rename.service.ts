import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { NotFoundError, UnavailableError } from '../../../platform/http/domain-error.js';
import { type AcceptedVersions, requireVersion } from '../../../platform/http/conditional-requests.js';
import { type CatalogTable, CatalogRepository } from '../catalog/catalog.repository.js';
import { coerceKey } from '../catalog/column-types.js';
import { RenamedDto } from './dto/rename.dto.js';
import type { EntityKind } from '../catalog/entity-kind.js';
import { toTableSummary } from '../catalog/dto/table.dto.js';
import { invalidKey, newKey } from './new-key.js';
import { RenameRepository } from './rename.repository.js';
import { type ReferringTable, findReferringTables } from '../catalog/reference-targets.js';
import type { RowReferrer } from './row-referrer.js';
import { RowsRepository } from '../engine/rows.repository.js';
import { KeyTakenError } from '../workspace-tables.errors.js';

/** How often the tables concerned are looked up and locked anew, where meanwhile another came to refer to the row's. */
const TRIES = 3;

/** Which row is to have which key. */
export interface Rename {
  entity: EntityKind;
  /** The table's id, or its name whatever its case. */
  table: string;
  from: string;
  to: string;
  /** Revisions of the row that `If-Match` accepts. */
  accepted?: AcceptedVersions;
}

/** Tables whose locks are held. */
interface Concerned {
  table: CatalogTable;
  pointing: ReferringTable[];
}

/** Gives a row another key; whatever refers to the row follows. */
@Injectable()
export class RenameService {
  private readonly referrers: RowReferrer[] = [];

  constructor(
    private readonly database: Database,
    private readonly catalog: CatalogRepository,
    private readonly rows: RowsRepository,
    private readonly keys: RenameRepository,
  ) {}

  /** The referrer follows every row that gets another key from now on. */
  register(referrer: RowReferrer): void {
    this.referrers.push(referrer);
  }

  /**
   * Changes the row's key with all parents and references that name it, or nothing. To the key it has: changes nothing.
   *
   * @throws {NotFoundError | PreconditionFailedError | InvalidTablesError | KeyTakenError | UnavailableError}
   */
  async rename(workspaceId: string, rename: Rename): Promise<RenamedDto> {
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const renamed = await this.database.transaction(async () => {
        const concerned = await this.lock(workspaceId, rename);
        return concerned && this.carryOut(concerned, rename);
      });
      if (renamed) return renamed;
    }
    throw new UnavailableError('table_busy', 'Tables that refer to this one keep being added; try again.');
  }

  /** Locks the table and all that refer to it; undefined where another came to refer to it before the locks were held. */
  private async lock(workspaceId: string, { entity, table: idOrName }: Rename): Promise<Concerned | undefined> {
    const found = await this.catalog.find(workspaceId, entity, idOrName);
    if (!found) throw new NotFoundError('The table');
    const before = findReferringTables(found, await this.catalog.listAll(workspaceId)).map(({ table }) => table);
    await this.catalog.lockAll([found, ...before.filter(({ id }) => id !== found.id)]);
    const tables = await this.catalog.listAll(workspaceId);
    const table = tables.find(({ id }) => id === found.id);
    if (!table) throw new NotFoundError('The table');
    const pointing = findReferringTables(table, tables);
    const locked = new Set([found, ...before].map(({ id }) => id));
    return pointing.every((each) => locked.has(each.table.id)) ? { table, pointing } : undefined;
  }

  private async carryOut(concerned: Concerned, rename: Rename): Promise<RenamedDto> {
    const { table, pointing } = concerned;
    const from = coerceKey(rename.from);
    if (typeof from !== 'string') throw new NotFoundError('The row');
    const to = newKey(table, rename.to, from);
    const existing = await this.keys.revisions(table, [from, to]);
    const revision = existing.get(from);
    if (revision === undefined) throw new NotFoundError('The row');
    requireVersion({ version: revision }, rename.accepted);
    const changed = { children: 0, references: 0 };
    if (from !== to) {
      if (existing.has(to)) throw new KeyTakenError(to);
      await this.refuseCycle(table, from, to);
      await this.keys.changeKey(table, from, to, table.revision + 1);
      for (const each of pointing) {
        const { parents, references } = await this.follow(each, from, to);
        changed.children += parents;
        changed.references += references;
        if (parents + references > 0) await this.catalog.setRevision(each.table, each.table.revision + 1);
      }
      table.revision++;
      await this.catalog.setRevision(table, table.revision);
      const { workspaceId, id: tableId } = table;
      for (const referrer of this.referrers) await referrer.renamed({ workspaceId, tableId, from, to });
    }
    return { table: toTableSummary(table), key: to, previousKey: from, changed };
  }

  /** @returns how many parents and references of the table were changed. */
  private async follow(
    { table, parents, references }: ReferringTable,
    from: string,
    to: string,
  ): Promise<{ parents: number; references: number }> {
    const changed = { parents: 0, references: 0 };
    const revision = table.revision + 1;
    for (const column of parents) changed.parents += await this.keys.changeLinks(table, column, from, to, revision);
    for (const column of references)
      changed.references += await this.keys.changeLinks(table, column, from, to, revision);
    return changed;
  }

  /** Parents that named the new key before any row had it resolve now: the row must not come to stand below itself. */
  private async refuseCycle(table: CatalogTable, from: string, to: string): Promise<void> {
    for (const column of table.columns.filter(({ type }) => type === 'hierarchyParent')) {
      const above = await this.rows.ancestry(table, column, [from]);
      if (![...above.values()].includes(to)) continue;
      const message = `With the key "${to}" the row would be below itself.`;
      throw invalidKey(table, from, column.key, 'hierarchy_cycle', message);
    }
  }
}
