import { Injectable } from '@nestjs/common';
import { isEqual } from '../../../records/record-values.js';
import { AuditService } from '../../audit/audit.service.js';
import type { CatalogTable } from './catalog.repository.js';
import type { CatalogColumn } from './column-plan.js';

/** The parts of a definition that callers change. */
type Definition = Pick<CatalogTable, 'name' | 'options' | 'columns'>;

/** One changed attribute of a table or of a column. */
interface DefinitionChange {
  /** The key of the column; absent if an attribute of the table has changed. */
  column?: string;
  /** Such as `name` or `options.approval`; `column` if the column was added. */
  attribute: string;
  /** The former value; null if there was none. */
  from: unknown;
  /** The new value; null if there is none. */
  to: unknown;
}

/** Records changes of the definitions of tables in the audit log. */
@Injectable()
export class TableAudit {
  constructor(private readonly audit: AuditService) {}

  /** Records the differences of two definitions of a table as one entry, in the transaction of the change. */
  async recordChange(before: CatalogTable, after: Definition): Promise<void> {
    const changes = listChanges(before, after);
    if (changes.length === 0) return;
    const { workspaceId, id, entity } = before;
    const details = { table: { id, entity, name: after.name }, changes };
    await this.audit.record({ kind: 'table_changed', workspaceId, details });
  }
}

function listChanges(before: Definition, after: Definition): DefinitionChange[] {
  const former = new Map(before.columns.map((column) => [column.key, column]));
  return [
    ...compare({ name: before.name }, { name: after.name }),
    ...compare(before.options, after.options, 'options.'),
    ...after.columns.flatMap((column) => listColumnChanges(former.get(column.key), column)),
  ];
}

function listColumnChanges(before: CatalogColumn | undefined, after: CatalogColumn): DefinitionChange[] {
  const { key: column, name, type, required, description, options } = after;
  if (!before) return [{ column, attribute: 'column', from: null, to: { name, type, required, description, options } }];
  const former = { name: before.name, required: before.required, description: before.description };
  const changes = [
    ...compare(former, { name, required, description }),
    ...compare(before.options, options, 'options.'),
  ];
  return changes.map((change) => ({ column, ...change }));
}

/** The attributes whose values differ. @param prefix of their names in the entry. */
function compare(before: object, after: object, prefix = ''): DefinitionChange[] {
  const [former, current] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const names = [...new Set([...former.keys(), ...current.keys()])];
  return names.flatMap((name) => {
    const [from, to] = [former.get(name) as unknown, current.get(name) as unknown].map((value) => value ?? null);
    return isEqual(from, to) ? [] : [{ attribute: `${prefix}${name}`, from, to }];
  });
}
