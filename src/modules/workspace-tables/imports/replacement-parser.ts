import { InvalidRequestError } from '../../../../packages/errors/src/domain-error.js';
import type { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { physicalKeyName } from '../../../../packages/tables/src/catalog/physical-table.js';
import {
  readReferencedTables,
  type ReferencedTables,
} from '../../../../packages/tables/src/catalog/referenced-tables.js';
import type { Replacement, SelectScope } from '../../../../packages/tables/src/sources/staging-sql.js';
import { Literals } from '../../../../packages/tables/src/reader/bindings.js';
import { listPaths } from '../../../../packages/tables/src/reader/filter-parser.js';
import { compileSource, parseLimit } from '../../../../packages/tables/src/reader/query-compiler.js';
import type { ImportQueryDto } from './dto/imports.dto.js';

type ScopeQuery = Pick<ImportQueryDto, 'filter' | 'under' | 'depth'>;

const DEFAULT_LIMIT = '10%';
const SCOPE_FIELDS = ['maxDeletions', 'filter', 'under', 'depth'] as const;

/**
 * What an import deletes; undefined if it only upserts.
 *
 * @param table as it was when the import began: rows written later are not deleted.
 * @throws {InvalidRequestError | InvalidQueryError}
 */
export async function parseReplacement(
  catalog: CatalogRepository,
  table: CatalogTable,
  query: ScopeQuery & Pick<ImportQueryDto, 'mode' | 'maxDeletions'>,
): Promise<Replacement | undefined> {
  if (query.mode !== 'replace') {
    const errors = SCOPE_FIELDS.filter((field) => query[field] !== undefined).map((field) => {
      return { field, code: 'invalid_field', message: `"${field}" requires mode=replace.` };
    });
    if (errors.length > 0) throw new InvalidRequestError(errors);
    return undefined;
  }
  const { maxDeletions = DEFAULT_LIMIT } = query;
  const limit = { value: Number.parseFloat(maxDeletions), isPercentage: maxDeletions.endsWith('%') };
  return { limit, revision: table.revision, selectScope: await parseScope(catalog, table, query) };
}

/**
 * Compiles the scope of a replacement; undefined for all rows of the table.
 *
 * @throws {InvalidQueryError} also if the filter has no condition, so that it bounds nothing.
 */
export async function parseScope(
  catalog: CatalogRepository,
  table: CatalogTable,
  query: ScopeQuery,
): Promise<SelectScope | undefined> {
  if (query.filter === undefined && query.under === undefined && query.depth === undefined) return undefined;
  const referenced = await readReferencedTables(catalog, table, listPaths(query.filter));
  // The merge has all columns of the table, the caller only those that the access policies permit.
  const isKnown = ({ ordinal }: CatalogColumn) => table.columns.some((column) => column.ordinal === ordinal);
  const selectScope = (current: CatalogTable) =>
    compileScope({ ...current, columns: current.columns.filter(isKnown) }, query, referenced);
  // Rejects an invalid filter before the file is received.
  selectScope(table);
  return selectScope;
}

function compileScope(table: CatalogTable, { filter, under, depth }: ScopeQuery, referenced: ReferencedTables): string {
  const selection = parseLimit(table, { filter, under, depth }, referenced);
  return `SELECT t.${physicalKeyName(table)} AS key ${compileSource(selection, new Literals())}`;
}
