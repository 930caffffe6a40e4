import { Injectable } from '@nestjs/common';
import { AuditLog, type Change, listChanges } from '../../audit/audit-log.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';

/** The parts of a definition that callers change. */
type Definition = Pick<CatalogTable, 'name' | 'options' | 'columns'>;

/** One changed attribute of a table or of a column. */
interface DefinitionChange extends Change {
  /** The key of the column; absent if an attribute of the table has changed. */
  column?: string;
}

/** Records changes of the definitions of tables in the audit log. */
@Injectable()
export class TableAudit {
  constructor(private readonly audit: AuditLog) {}

  /** Records the differences of two definitions of a table as one entry, in the transaction of the change. */
  async recordChange(before: CatalogTable, after: Definition): Promise<void> {
    const changes = listDefinitionChanges(before, after);
    if (changes.length === 0) return;
    const { workspaceId, id, entity } = before;
    const details = { table: { id, entity, name: after.name }, changes };
    await this.audit.record({ kind: 'table_changed', workspaceId, details });
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
