import { Injectable } from '@nestjs/common';
import { type CatalogTable, CatalogRepository } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { isReference } from '../catalog/column-types.js';
import { keysOnCycles } from './cycles.js';
import type { ColumnValues, RowBatch } from './row-batch.js';
import type { RowError } from './row-errors.js';
import { findReferenceTargets } from '../catalog/reference-targets.js';
import { RowsRepository } from './rows.repository.js';

/** A link whose target is not there. It resolves by itself when the target comes. */
export interface UnresolvedReference {
  /** Position of the row among the items as they were sent. */
  index: number;
  column: string;
  value: string;
}

/** What links between rows mean: parents make no cycles, and targets that are not there are reported. */
@Injectable()
export class TableReferences {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly rows: RowsRepository,
  ) {}

  /**
   * The rows of the batch that would stand on a cycle of parents. Rows beyond the batch take part with the parents they
   * have: only a walk up from the batch can lead back to it. The caller holds the table's lock, so that two writers
   * cannot close a cycle together. The table is as it stands, before columns are added.
   */
  async cycles(table: CatalogTable, batch: RowBatch): Promise<RowError[]> {
    const parents = batch.columns.filter((sent) => sent.column.type === 'hierarchyParent');
    const errors: RowError[] = [];
    const refused = new Set<string>();
    // A row refused for one parent keeps its other parents too, which may close a cycle there: on until there is none.
    for (let before = -1; before < refused.size;) {
      before = refused.size;
      const found: RowError[] = [];
      for (const links of parents) found.push(...(await this.cyclesOf(table, links, batch, refused)));
      for (const { key } of found) refused.add(key!);
      errors.push(...found);
    }
    return errors;
  }

  private async cyclesOf(
    table: CatalogTable,
    links: ColumnValues,
    batch: RowBatch,
    refused: ReadonlySet<string>,
  ): Promise<RowError[]> {
    const { column, values } = links;
    const sent = new Map<string, string | null>();
    batch.keys.forEach((key, row) => {
      if (values[row] !== undefined && !refused.has(key)) sent.set(key, values[row] as string | null);
    });
    const cyclic = await this.findCycles(table, column, sent, refused);
    return batch.keys.flatMap((key, row) => {
      if (!cyclic.has(key)) return [];
      const message = `With the parent "${String(values[row])}" the row would be below itself.`;
      return [{ index: batch.indexes[row]!, key, column: column.key, code: 'hierarchy_cycle' as const, message }];
    });
  }

  /** A row that is refused keeps the parent it had, which may close another cycle: so it goes on until there is none. */
  private async findCycles(
    table: CatalogTable,
    column: CatalogColumn,
    sent: Map<string, string | null>,
    refusedBefore: ReadonlySet<string>,
  ): Promise<Set<string>> {
    const refused = new Set<string>();
    const stands = table.columns.some(({ key }) => key === column.key);
    for (;;) {
      const parents = [...sent.values()].filter((parent) => parent !== null && !sent.has(parent)) as string[];
      const beyond = new Set([...refusedBefore, ...refused, ...parents]);
      const standing = stands ? await this.rows.ancestry(table, column, [...beyond]) : [];
      const cycle = [...keysOnCycles(new Map([...standing, ...sent]))].filter((key) => sent.has(key));
      if (cycle.length === 0) return refused;
      for (const key of cycle) {
        refused.add(key);
        sent.delete(key);
      }
    }
  }

  /** The links of the batch whose targets are not there, now that everything is written. */
  async unresolved(table: CatalogTable, batch: RowBatch): Promise<UnresolvedReference[]> {
    const found: UnresolvedReference[] = [];
    for (const link of batch.columns.filter((sent) => isReference(sent.column.type))) {
      const missing = await this.missingTargets(table, link);
      if (missing.size === 0) continue;
      link.values.forEach((value, row) => {
        if (typeof value === 'string' && missing.has(value))
          found.push({ index: batch.indexes[row]!, column: link.column.key, value });
      });
    }
    return found.sort((a, b) => a.index - b.index);
  }

  private async missingTargets(table: CatalogTable, { column, values }: ColumnValues): Promise<Set<string>> {
    const missing = new Set(values.filter((value) => typeof value === 'string'));
    for (const target of await this.targetsOf(table, column)) {
      for (const key of await this.rows.existing(target, [...missing])) missing.delete(key);
      if (missing.size === 0) break;
    }
    return missing;
  }

  /** The tables whose rows the column names. */
  async targetsOf(table: CatalogTable, column: CatalogColumn): Promise<CatalogTable[]> {
    if (column.type === 'hierarchyParent') return [table];
    const entity = column.options.target?.entity ?? 'location';
    return findReferenceTargets(table, column, await this.catalog.list(table.workspaceId, entity));
  }
}
