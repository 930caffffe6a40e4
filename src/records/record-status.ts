import { And, type FindOptionsWhere, IsNull, Not } from 'typeorm';
import type { KeptRecord } from './kept-record.js';
import type { Archived } from './record-query.dto.js';

/** What a list asks for, as `Records.page` takes it. */
export interface StatusFilter<T extends KeptRecord> {
  archived: Archived;
  filter: FindOptionsWhere<T>[];
}

/**
 * The filter of a list whose records have the status `archived` while they are put away. `status` and `archived` must both
 * hold: neither overrides the other. Where `status` names `archived`, what is put away need not be asked for once more.
 *
 * @param having the condition that a record in use has one of these statuses.
 */
export function statusFilter<T extends KeptRecord>(
  status: readonly string[] | undefined,
  asked: Archived | undefined,
  having: (statuses: readonly string[]) => FindOptionsWhere<T>,
): StatusFilter<T> {
  if (!status) return { archived: asked ?? 'false', filter: [{}] };
  const inUse = status.filter((each) => each !== 'archived');
  const isAway = inUse.length < status.length;
  const archived = asked ?? (isAway ? 'all' : 'false');
  const filter: FindOptionsWhere<KeptRecord>[] = [];
  if (inUse.length > 0 && archived !== 'true') filter.push({ ...having(inUse), archivedAt: IsNull() });
  if (isAway && archived !== 'false') filter.push({ archivedAt: Not(IsNull()) });
  // Whatever is asked for twice over is nothing.
  if (filter.length === 0) filter.push({ archivedAt: And(IsNull(), Not(IsNull())) });
  return { archived: 'all', filter: filter as FindOptionsWhere<T>[] };
}
