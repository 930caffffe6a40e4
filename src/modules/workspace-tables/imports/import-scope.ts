import { InvalidRequestError } from '../../../platform/http/domain-error.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { physicalKeyName } from '../catalog/physical-table.js';
import type { Replacement } from '../sources/replacement.js';
import { Literals } from '../query/bindings.js';
import { compileSource, parseQuery } from '../query/query-compiler.js';
import { InvalidQueryError } from '../query.errors.js';
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
export function parseReplacement(
  table: CatalogTable,
  query: ScopeQuery & Pick<ImportQueryDto, 'mode' | 'maxDeletions'>,
): Replacement | undefined {
  if (query.mode !== 'replace') {
    const errors = SCOPE_FIELDS.filter((field) => query[field] !== undefined).map((field) => {
      return { field, code: 'invalid_field', message: `"${field}" requires mode=replace.` };
    });
    if (errors.length > 0) throw new InvalidRequestError(errors);
    return undefined;
  }
  const { maxDeletions = DEFAULT_LIMIT } = query;
  const limit = { value: Number.parseFloat(maxDeletions), isPercentage: maxDeletions.endsWith('%') };
  const selectScope = hasScope(query) ? (current: CatalogTable) => compileScope(current, query) : undefined;
  selectScope?.(table);
  return { limit, revision: table.revision, selectScope };
}

/**
 * SQL: the keys of the rows in the scope.
 *
 * @throws {InvalidQueryError} also if the filter has no condition, so that it bounds nothing.
 */
export function compileScope(table: CatalogTable, { filter, under, depth }: ScopeQuery): string {
  const selection = parseQuery(table, { filter, under, depth });
  if (filter && selection.filters.length === 0) {
    const message = 'The filter has no condition, so it does not limit the rows. Add a condition, or omit "filter".';
    throw new InvalidQueryError('filter', 'invalid_value', message);
  }
  return `SELECT t.${physicalKeyName(table)} AS key ${compileSource(selection, new Literals())}`;
}

export function hasScope({ filter, under, depth }: ScopeQuery): boolean {
  return filter !== undefined || under !== undefined || depth !== undefined;
}
