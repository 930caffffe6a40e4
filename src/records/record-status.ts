import { And, type FindOptionsWhere, IsNull, Not } from 'typeorm';
import type { ArchivableRecord } from './archivable-record.js';
import type { Archived } from './record-query.dto.js';

/** Arguments of `Records.getPage`. */
export interface StatusFilter<T extends ArchivableRecord> {
  archived: Archived;
  filter: FindOptionsWhere<T>[];
}

/**
 * The filter of a list whose records have the status `archived` while they are archived. The parameters `status` and
 * `archived` must both match. If `status` contains `archived`, `archived` defaults to `all`.
 *
 * @param toCondition the condition that a record in use has one of these statuses.
 */
export function buildStatusFilter<T extends ArchivableRecord>(
  status: readonly string[] | undefined,
  requested: Archived | undefined,
  toCondition: (statuses: readonly string[]) => FindOptionsWhere<T>,
): StatusFilter<T> {
  if (!status) return { archived: requested ?? 'false', filter: [{}] };
  const inUse = status.filter((each) => each !== 'archived');
  const includesArchived = inUse.length < status.length;
  const archived = requested ?? (includesArchived ? 'all' : 'false');
  const filter: FindOptionsWhere<ArchivableRecord>[] = [];
  if (inUse.length > 0 && archived !== 'true') filter.push({ ...toCondition(inUse), archivedAt: IsNull() });
  if (includesArchived && archived !== 'false') filter.push({ archivedAt: Not(IsNull()) });
  // The parameters exclude each other: match no record.
  if (filter.length === 0) filter.push({ archivedAt: And(IsNull(), Not(IsNull())) });
  return { archived: 'all', filter: filter as FindOptionsWhere<T>[] };
}
