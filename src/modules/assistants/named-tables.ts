import { Injectable } from '@nestjs/common';
import { DomainError, NotFoundError } from '../../../packages/errors/src/domain-error.js';
import { ENTITY_BY_PATH, PATH_BY_ENTITY } from '../../../packages/tables/src/catalog/entity-kind.js';
import { describeKnown } from '../../../packages/tables/src/catalog/column-finder.js';
import { TABLE_ERRORS } from '../../../packages/tables/src/catalog/tables.errors.js';
import type { TableRef } from '../../../packages/tables/src/catalog/table-ref.js';
import type { Principal } from '../../platform/security/principal.js';
import { resolveTargetWorkspace } from '../../platform/security/workspace-access.js';
import { callerView } from '../workspace-tables/catalog/caller-view.js';
import { TableDefinitionsService } from '../workspace-tables/query/table-definitions.service.js';
import { text } from './tool.js';

const NAME = /^(locations|assets|lists)\/(.+)$/s;
const RULE = 'must be "locations", "assets" or "lists", a slash, and a name or ID, such as assets/Equipment';
export const TABLE = text(300, 'The table as list_tables names it, such as assets/Equipment.').regex(NAME, RULE);
export const KEY = text(255, 'The primary key of the row.');

/** The name of a table in arguments and answers. */
export function formatTable(entity: keyof typeof PATH_BY_ENTITY, name: string): string {
  return `${PATH_BY_ENTITY[entity]}/${name}`;
}

/** Resolves the tables that calls name, and adds to errors what a model needs to correct itself. */
@Injectable()
export class NamedTables {
  constructor(readonly definitions: TableDefinitionsService) {}

  /** Runs the work with the table as the caller sees it, and the other arguments. @throws {DomainError} */
  async use<Sent extends { workspaceId?: string; table: string; key?: string }, T>(
    caller: Principal,
    sent: Sent,
    work: (ref: TableRef, others: Omit<Sent, 'workspaceId' | 'table'>) => Promise<T>,
  ): Promise<T> {
    const { workspaceId, table: named, ...others } = sent;
    const [, path, table] = NAME.exec(named) as unknown as [string, keyof typeof ENTITY_BY_PATH, string];
    const view = callerView(resolveTargetWorkspace(caller, workspaceId));
    const ref = { view, entity: ENTITY_BY_PATH[path], table };
    return work(ref, others).catch(async (error: unknown) => {
      throw error instanceof DomainError ? await this.explain(error, ref, sent.key) : error;
    });
  }

  private async explain(error: DomainError, ref: TableRef, key = ''): Promise<DomainError> {
    const isColumn =
      error.code === 'invalid_rows' && error.details?.errors?.some(({ code }) => code === 'unknown_column');
    if (!isColumn && !(error instanceof NotFoundError)) return error;
    const found = await this.definitions.find(ref.view.workspaceId, ref.entity, ref.table);
    const [table, row] = [ref.table, key].map((name) => `"${name.slice(0, 100)}"`);
    if (!found) return new NotFoundError(`The table ${table}`, 'table', 'Call list_tables for the tables.');
    if (!isColumn) return new NotFoundError(`The row ${row}`, 'key', 'Check the key, or find the row by search.');
    const message = `${error.message} ${describeKnown(found.columns)}`;
    return new DomainError(TABLE_ERRORS.invalid_rows, message, { details: error.details });
  }
}
