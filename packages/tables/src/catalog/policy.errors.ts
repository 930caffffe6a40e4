import { createSection, defineErrors } from '../../../errors/src/error-definition.js';
import { toErrorDetails, AccessDeniedError } from '../../../errors/src/domain-error.js';
import type { EntityKind } from './entity-kind.js';

/** Errors of callers with an access policy. */
export const TABLE_POLICY_ERRORS = defineErrors(createSection('Access policies', 'access'), {
  read_only: {
    kind: 'forbidden',
    message: 'The access policy of the caller does not permit changes of the column "weight"; nothing was stored.',
    details: {
      total: 1,
      errors: [
        { type: 'asset', table: 'Example Assets', column: 'weight', code: 'read_only', message: 'Omit the column.' },
      ],
    },
    meaning:
      'The rules of the access policy do not contain `"write": true` for the table, or name the column in `readOnly`. Nothing was stored.',
    remedy: 'Omit the column. To change the table, ask an owner of the workspace.',
  },
  table_not_permitted: {
    kind: 'forbidden',
    message: 'The access policy of the caller permits no table "Pumps" of the entity asset; nothing was stored.',
    meaning:
      'The access policy of the caller does not permit the table, or new tables and columns. Nothing was stored.',
    remedy: 'Check the name of the table and of the columns, or ask an owner of the workspace.',
  },
});

/** An access policy does not permit a write of a table. */
abstract class TableDeniedError extends AccessDeniedError {
  /** Without the names in the message: a caller can send any number of them, and would fill the audit log. */
  override get denied(): string {
    return this.code;
  }
}

/** An access policy permits the caller only to read the table, or the column. */
export class ReadOnlyError extends TableDeniedError {
  constructor({ entity: type, name }: { entity: EntityKind; name: string }, column?: string) {
    const what = column === undefined ? `the table "${name}"` : `the column "${column}"`;
    const message = `The access policy of the caller does not permit changes of ${what}; nothing was stored.`;
    const error = { type, table: name, column, code: 'read_only', message };
    super(TABLE_POLICY_ERRORS.read_only, message, { details: toErrorDetails([error]) });
  }
}

/** For a caller with an access policy the table, or the column, does not exist, and cannot be created. */
export class TableNotPermittedError extends TableDeniedError {
  constructor({ entity: type, name }: { entity: EntityKind; name: string }, column?: string) {
    const what =
      column === undefined
        ? `permits no table "${name}" of the entity ${type}`
        : `does not permit to add the column "${column}" to the table "${name}"`;
    const message = `The access policy of the caller ${what}; nothing was stored.`;
    const error = { type, table: name, column, code: 'table_not_permitted', message };
    super(TABLE_POLICY_ERRORS.table_not_permitted, message, { details: toErrorDetails([error]) });
  }
}
