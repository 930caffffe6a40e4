/**
 * JOIN of the end of the event log of a workspace, with `c.last_sequence`. There is no row until an event has got a
 * number.
 */
export function joinLogEnd(workspaceId: string): string {
  return `JOIN event_counters c ON c.workspace_id = ${workspaceId}`;
}

/** The number of the last event of a workspace; null if it has none. */
export function selectLastSequence(workspaceId: string): string {
  return `(SELECT last_sequence FROM event_counters WHERE workspace_id = ${workspaceId})`;
}

/** JOIN of the events after a number, up to another, with `e.id`, `e.type`, `e.sequence`, `e.actor_id` and `e.data`. */
export function joinEvents(workspaceId: string, after: string, through: string): string {
  return `JOIN events e ON e.workspace_id = ${workspaceId} AND e.sequence > ${after} AND e.sequence <= ${through}`;
}
