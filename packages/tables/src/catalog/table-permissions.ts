import { isRestricted, type TableRule, type View } from './view.js';
import { ReadOnlyError } from './policy.errors.js';
import type { CatalogTable } from './catalog-table.js';

/** Compiles the rules of policies for a table. The reader implements it. */
export abstract class TableRules {
  /**
   * @param policies the rules of each policy.
   * @returns undefined if one of the policies does not permit the table.
   */
  abstract permit(table: CatalogTable, policies: readonly (readonly TableRule[])[]): CatalogTable | undefined;

  /** Does a rule of each policy name the table, whatever its columns are? */
  abstract names(table: NamedTable, policies: readonly (readonly TableRule[])[]): boolean;
}

/** What rules name of a table. */
export type NamedTable = Pick<CatalogTable, 'workspaceId' | 'entity' | 'id' | 'nameKey'>;

/** What the access policies of a view permit in tables (ADR 0161). */
export class TablePermissions {
  constructor(private readonly rules: TableRules) {}

  /**
   * The table as it is visible: with the permitted columns, the permitted rows as its `rows`, and `permission`. The
   * same table if no policy restricts the view.
   *
   * @param table with all columns.
   * @returns undefined if the table does not exist for the view.
   */
  find(view: View, table: CatalogTable): CatalogTable | undefined {
    if (!isRestricted(view)) return table;
    requireWhole(table);
    const permitted = this.rules.permit(table, listRules(view));
    return permitted && { ...permitted, view };
  }

  /** Do all policies of the view name the table, which may have been dropped? */
  isNamed(view: View, table: NamedTable): boolean {
    return !isRestricted(view) || this.rules.names(table, listRules(view));
  }

  /** The tables as they are visible, without those that do not exist for the view. */
  restrict(view: View, tables: readonly CatalogTable[]): CatalogTable[] {
    return tables.flatMap((table) => this.find(view, table) ?? []);
  }

  /**
   * As `find`, for a write of rows. Undefined if no policy restricts the view.
   *
   * @param toMissing the error if the table does not exist for the view.
   * @throws {ReadOnlyError} if the policies do not permit to change rows of the table.
   */
  permitWrite(view: View, table: CatalogTable, toMissing: () => Error): CatalogTable | undefined {
    if (!isRestricted(view)) return undefined;
    const permitted = this.find(view, table);
    if (!permitted) throw toMissing();
    if (!permitted.permission!.canWrite) throw new ReadOnlyError(table);
    return permitted;
  }
}

/** Rules may need columns that they hide, so a table is restricted once. */
function requireWhole({ id, permission }: CatalogTable): void {
  if (permission) throw new Error(`The table ${id} is already restricted.`);
}

function listRules({ policies }: View): (readonly TableRule[])[] {
  return policies.map(({ rules }) => rules);
}
