import type { CatalogTable } from '../catalog/catalog-table.js';
import { describeKnown, findColumns, getColumn } from '../catalog/column-finder.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { getNativeType, isReference } from '../catalog/column-types.js';
import { isPath, MAX_REFERENCED_TABLES, MAX_REFERENCES, type ReferencedTables } from '../catalog/referenced-tables.js';
import { InvalidQueryError } from '../catalog/query.errors.js';

/** A column of a table, or of the rows that a reference column of the table refers to. */
export interface ColumnPath {
  column: CatalogColumn;
  /** The tables that the reference may refer to, with the rest of the path; empty at the end of the path. */
  targets: readonly { table: CatalogTable; path: ColumnPath }[];
  /** The tables that the reference may refer to, which do not have the rest of the path. */
  emptyTargets: readonly CatalogTable[];
}

/** Finds the columns that a query names. */
export class ColumnPaths {
  /** The number of tables that the found paths read. */
  private tables = 0;

  /**
   * @param root the table of the query, which is also the target of references to itself
   * @param owner of the columns, for messages
   */
  constructor(
    private readonly root: CatalogTable,
    private readonly referenced: ReferencedTables,
    private readonly owner = `The table "${root.name}"`,
  ) {}

  /**
   * @param name the key or name of a column, or a path of keys
   * @param field the parameter of the query, for messages
   * @throws {InvalidQueryError}
   */
  get(name: string, field: string): ColumnPath {
    const { columns } = this.root;
    if (!isPath(name) || !this.isFromReference(name, field))
      return { column: getColumn(columns, field, name, this.owner), targets: [], emptyTargets: [] };
    const keys = name.split('.');
    if (keys.length > MAX_REFERENCES + 1) {
      const message = `A path follows at most ${MAX_REFERENCES} references; "${name.slice(0, 80)}" follows ${keys.length - 1}.`;
      throw new InvalidQueryError(field, 'path_too_long', message);
    }
    const path = this.find(this.root, keys);
    if (this.tables > MAX_REFERENCED_TABLES || this.referenced.isFull) {
      const message = `The references of a query read at most ${MAX_REFERENCED_TABLES} tables. Set the option "target" of the reference columns.`;
      throw new InvalidQueryError(field, 'too_many_targets', message);
    }
    if (path) return requireOneType(path, name, field);
    const [first, ...rest] = keys;
    const targets = this.referenced.list(
      this.root,
      columns.find(({ key }) => key === first)!,
    );
    const message = `No table that "${first}" refers to has the column "${rest.join('.')}".`;
    throw new InvalidQueryError(
      field,
      'unknown_column',
      `${message} ${describeKnown(targets.flatMap((each) => each.columns))}`,
    );
  }

  /** Does the path start with a reference column? @throws {InvalidQueryError} if a column has this name, too. */
  private isFromReference(path: string, field: string): boolean {
    const [key] = path.split('.');
    const first = this.root.columns.find((column) => column.key === key);
    if (!first) return false;
    const [named] = findColumns(this.root.columns, path);
    if (!isReference(first.type)) {
      if (named) return false;
      const message = `"${key}" is a ${first.type} column, not a reference; so "${path.slice(0, 80)}" is not a column.`;
      throw new InvalidQueryError(field, 'unknown_column', message);
    }
    if (!named) return true;
    const message = `"${path}" is the name of a column and a path through "${key}". For the column send its key "${named.key}".`;
    throw new InvalidQueryError(field, 'ambiguous_column', message);
  }

  private find(table: CatalogTable, [key = '', ...rest]: string[]): ColumnPath | undefined {
    const column = table.columns.find((each) => each.key === key);
    if (!column || rest.length === 0) return column && { column, targets: [], emptyTargets: [] };
    if (!isReference(column.type) || this.tables > MAX_REFERENCED_TABLES) return undefined;
    const found = this.referenced.list(table, column).map((each) => {
      const target = each.id === this.root.id ? this.root : each;
      return { table: target, path: this.find(target, rest) };
    });
    const targets = found.flatMap(({ path, ...each }) => (path ? [{ ...each, path }] : []));
    const emptyTargets = found.flatMap(({ path, table: each }) => (path ? [] : [each]));
    this.tables += targets.length;
    return targets.length > 0 ? { column, targets, emptyTargets } : undefined;
  }
}

/** The columns at the end of the path. */
export function listEnds({ column, targets }: ColumnPath): CatalogColumn[] {
  return targets.length === 0 ? [column] : targets.flatMap(({ path }) => listEnds(path));
}

/** A value must mean the same in all tables. @throws {InvalidQueryError} */
function requireOneType(path: ColumnPath, name: string, field: string): ColumnPath {
  const ends = listEnds(path);
  if (new Set(ends.map(getValueKind)).size === 1) return path;
  const types = [...new Set(ends.map(({ type }) => type))].join(' and ');
  const message = `"${name}" is a column of the types ${types} in different tables. Set the option "target" of the reference.`;
  throw new InvalidQueryError(field, 'ambiguous_column', message);
}

/** Columns of one kind convert values alike. */
function getValueKind({ type, primaryKey }: CatalogColumn): string {
  if (primaryKey || isReference(type)) return 'key';
  return type === 'date' ? type : getNativeType(type);
}
