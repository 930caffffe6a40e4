import type { EntitySet } from './edm.js';
import { parseDeltaToken, type SkipToken } from './links.js';
import type { QueryOptions } from './query-options.js';
import type { EntityPage } from './rows.service.js';

/** Changes of a part of the entities are not stored. */
export function canTrack({ set }: Pick<EntityPage, 'set'>, { filter, top, skip, expand }: QueryOptions): boolean {
  const isWhole = [filter, top, skip, expand].every((option) => option === undefined);
  return isWhole && set.table.hasChanges;
}

/**
 * The revision as of which all pages are read, if a policy limits the rows and changes are tracked: the changes are
 * those between two moments, so an entity that has entered the permitted part only between two pages is not removed.
 */
export function findTrackedRevision(
  set: EntitySet,
  options: QueryOptions,
  start: SkipToken | undefined,
  trackChanges: boolean,
): number | undefined {
  if (!set.table.isLimited) return undefined;
  if (start) return start.since === undefined ? undefined : parseDeltaToken(start.since)!.revision;
  return trackChanges && canTrack({ set }, options) ? set.table.revision : undefined;
}
