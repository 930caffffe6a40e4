import { quoteLiteral } from '../../../platform/database/sql-literal.js';
import { insertEvents } from '../../events/events.clauses.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { pathOfDifferences } from '../catalog/dto/table-events.dto.js';
import { TableEvents } from '../catalog/table-events.js';

/** Numbers of parameters. */
interface RowEventParameters {
  workspaceId: number;
  tableId: number;
  /** A JSON object: ID and caller of the event of each key. */
  events: number;
}

/** An INSERT of one event per row of the CTE `written`, for the CTE `locked` with the name of the table. */
export function buildRowEvents(
  { workspaceId: workspace, id, entity }: CatalogTable,
  isDeleted: boolean,
  { workspaceId, tableId, events }: RowEventParameters,
): string {
  const counts = [
    `'created', ${isDeleted ? 0 : 'w.created::integer'}`,
    `'updated', ${isDeleted ? 0 : '(NOT w.created)::integer'}`,
    `'deleted', ${isDeleted ? 1 : 0}`,
  ];
  const values = {
    workspaceId: `$${workspaceId}`,
    id: `(w.event ->> 'id')::uuid`,
    type: quoteLiteral(TableEvents.rowsChanged),
    actorId: `(w.event ->> 'actorId')::uuid`,
    source: `w.event ->> 'source'`,
    data: `json_build_object(
      'table', json_build_object('id', $${tableId}::uuid, 'entity', ${quoteLiteral(entity)}, 'name', l.name),
      'fromRevision', w.revision - 1, 'toRevision', w.revision, 'counts', json_build_object(${counts.join(', ')}),
      'differences', ${quoteLiteral(pathOfDifferences(workspace, entity, id))} || '?from=' || w.revision - 1 || '&to=' || w.revision)`,
  };
  const rows = `SELECT revision, created, $${events}::jsonb -> key AS event FROM written ORDER BY revision`;
  return insertEvents(values, `locked l CROSS JOIN (${rows}) w`);
}
