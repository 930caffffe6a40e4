import { Injectable } from '@nestjs/common';
import { AuditLog, type Change, listChanges } from '../../audit/audit-log.js';
import { type EventActor, EventsService, type NewEvent } from '../../events/events.service.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import {
  TableCreatedDto,
  TableRowsChangedDto,
  TableUpdatedDto,
  toRowsChangedEvent,
  toTableEvent,
} from '../catalog/dto/table-events.dto.js';
import { RowMetrics } from './row-metrics.js';
import { Sql } from '../../../../packages/sql/src/sql.js';
import type { OpenBatch } from '../../../../packages/tables/src/history/batch-records.repository.js';
import type { BatchTable, WrittenTable } from '../../../../packages/tables/src/history/batch.js';
import { type RenameChanges, TableLog, type WriteCauses } from '../../../../packages/tables/src/history/table-log.js';

/** The parts of a definition that callers change. */
type Definition = Pick<CatalogTable, 'name' | 'options' | 'columns'>;

/** One changed attribute of a table or of a column. */
interface DefinitionChange extends Change {
  /** The key of the column; absent if an attribute of the table has changed. */
  column?: string;
}

/** Reports changes as events of the workspace, and in the audit log. */
@Injectable()
export class EventTableLog extends TableLog {
  constructor(
    private readonly events: EventsService,
    private readonly audit: AuditLog,
    private readonly metrics: RowMetrics,
    private readonly sql: Sql,
  ) {
    super();
  }

  currentActor(): EventActor {
    return this.events.currentActor();
  }

  async recordWritten(workspaceId: string, tables: readonly WrittenTable[], causes: WriteCauses): Promise<void> {
    const events: NewEvent[] = [];
    for (const { table, fromRevision, definition, counts } of tables) {
      if (definition === 'created') events.push(this.events.create(TableCreatedDto, toTableEvent(table)));
      if (definition === 'updated') events.push(this.events.create(TableUpdatedDto, toTableEvent(table)));
      if (counts.created + counts.updated + counts.deleted === 0) continue;
      const data = toRowsChangedEvent(table, fromRevision, { ...counts, ...causes });
      events.push(this.events.create(TableRowsChangedDto, data));
    }
    await this.events.recordAll(workspaceId, events);
  }

  recordRename(table: CatalogTable, fromRevision: number, changes: RenameChanges): Promise<void> {
    return this.events.record(table.workspaceId, TableRowsChangedDto, toRowsChangedEvent(table, fromRevision, changes));
  }

  async recordDefinition(before: CatalogTable, after: CatalogTable): Promise<void> {
    const changes = listDefinitionChanges(before, after);
    if (changes.length === 0) return;
    const { workspaceId, id, entity } = before;
    const details = { table: { id, entity, name: after.name }, changes };
    await this.audit.record({ kind: 'table_changed', workspaceId, details });
  }

  recordLoad({ view, id, source, importId, undoes }: OpenBatch, tables: readonly BatchTable[]): Promise<void> {
    const changed = tables.map(({ id, entity, name, counts }) => ({ id, entity, name, ...counts }));
    const details = { source, batchId: id, importId, undoes, tables: changed };
    return this.audit.record({ kind: 'load_stored', workspaceId: view.workspaceId, details });
  }

  countRows(tables: readonly WrittenTable[]): void {
    this.sql.afterCommit(() => {
      for (const { table, counts, others } of tables) this.metrics.countRows(table.entity, { ...counts, ...others });
    });
  }
}

function listDefinitionChanges(before: Definition, after: Definition): DefinitionChange[] {
  const former = new Map(before.columns.map((column) => [column.key, column]));
  return [
    ...listChanges({ name: before.name }, { name: after.name }),
    ...listOptionChanges(before.options, after.options),
    ...after.columns.flatMap((column) => listColumnChanges(former.get(column.key), column)),
  ];
}

function listColumnChanges(before: CatalogColumn | undefined, after: CatalogColumn): DefinitionChange[] {
  const { key: column, name, type, required, description, options } = after;
  if (!before) return [{ column, attribute: 'column', from: null, to: { name, type, required, description, options } }];
  const former = { name: before.name, required: before.required, description: before.description };
  const changes = [
    ...listChanges(former, { name, required, description }),
    ...listOptionChanges(before.options, options),
  ];
  return changes.map((change) => ({ column, ...change }));
}

function listOptionChanges(before: object, after: object): Change[] {
  return listChanges(before, after).map((change) => ({ ...change, attribute: `options.${change.attribute}` }));
}
