import type { CatalogTable } from './catalog-table.js';
import type { CatalogColumn } from './column-plan.js';
import type { View } from './view.js';

/** A column of a relation. */
export type DescribedColumn = Pick<
  CatalogColumn,
  'key' | 'type' | 'options' | 'primaryKey' | 'normalize' | 'storedText' | 'isJson'
>;

/**
 * Describes a relation of the workspace that is not one of its tables, so that reads of tables read it, too. It has no
 * revisions, no history and no indexes of tables. `rows` must be set before it is read.
 */
export function describeRelation(view: View, name: string, columns: readonly DescribedColumn[]): CatalogTable {
  return {
    view,
    workspaceId: view.workspaceId,
    // Cursors contain it. No table has it.
    id: view.workspaceId,
    entity: 'list',
    name,
    nameKey: name,
    revision: 0,
    droppedOrdinal: 0,
    hasTombstones: false,
    changesSince: 0,
    historySince: 0,
    definitionId: view.workspaceId,
    columns: columns.map((column, at) => ({
      ...column,
      name: column.key,
      ordinal: at + 1,
      required: false,
      description: null,
    })),
    options: {},
    indexes: [],
  };
}
