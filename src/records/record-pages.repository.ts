import { Any, Brackets, type FindOptionsWhere, IsNull, Not, type SelectQueryBuilder } from 'typeorm';
import { isUuid } from '../platform/database/uuid.js';
import type { Database } from '../platform/database/database.js';
import { EntityColumns } from '../platform/database/entity-columns.js';
import { readPage } from '../platform/database/page-reader.js';
import { toLikePattern } from '../platform/database/sql-literal.js';
import { type CursorValue, decodeCursor, InvalidCursorError, toPage } from '../platform/http/cursor.js';
import type { Page } from '../platform/http/page.dto.js';
import type { ArchivableRecord, RecordKind } from './archivable-record.js';
import type { RecordQueryDto } from './record-query.dto.js';
import { isSortValue, parseSort, readSortValue } from './row-pages.repository.js';

/** Reads a page of the matching records of the workspaces. @throws {InvalidCursorError} */
export async function getRecordPage<T extends ArchivableRecord>(
  database: Database,
  kind: RecordKind<T>,
  workspaceIds: readonly string[],
  query: RecordQueryDto,
  filter: FindOptionsWhere<T> | FindOptionsWhere<T>[],
): Promise<Page<T>> {
  const { limit, cursor, sort = 'createdAt', archived = 'false', q, externalId } = query;
  const identity = [kind.entity.name, [...workspaceIds].sort(), filter, sort, archived, q, externalId];
  const common = {
    // Only an equality lets PostgreSQL read one workspace in the order of its index.
    workspaceId: workspaceIds.length === 1 ? workspaceIds[0] : Any([...workspaceIds]),
    ...(externalId === undefined ? {} : { externalId }),
    ...(archived === 'all' ? {} : { archivedAt: archived === 'true' ? Not(IsNull()) : IsNull() }),
  } as FindOptionsWhere<T>;
  const where = (Array.isArray(filter) ? filter : [filter]).map((each) => ({ ...each, ...common }));
  const columns = new EntityColumns(database, kind.entity);
  const builder = database.repository(kind.entity).createQueryBuilder('record').select(columns.list('record'));
  builder.where(where);
  if (q) addSearch(builder, kind.searched, q);
  const { column, direction, comparison } = parseSort(sort);
  const sortsByCreation = column === 'createdAt';
  // The ID makes the order unique. IDs ascend in the order of creation and replace `createdAt`.
  if (!sortsByCreation) builder.orderBy(`record.${column}`, direction);
  builder.addOrderBy('record.id', direction);
  if (cursor !== undefined) {
    const [value, id] = decodeCursor(identity, cursor, 2) as [CursorValue, CursorValue];
    const isValid = sortsByCreation ? value === null : isSortValue(column, value);
    if (!isValid || !isRecordId(database, kind.entity, id)) throw new InvalidCursorError();
    if (sortsByCreation) builder.andWhere(`record.id ${comparison} :id`, { id });
    else builder.andWhere(`(record.${column}, record.id) ${comparison} (:value, :id)`, { value, id });
  }
  const [sql, parameters] = builder.getQueryAndParameters();
  const statement = { sql, parameters: parameters as unknown[], sized: columns.sized };
  const found = await readPage<Record<string, unknown>>(database, statement, limit);
  const records = { ...found, items: found.items.map((row) => columns.toEntity(row)) };
  return toPage(records, identity, (last) => [sortsByCreation ? null : readSortValue(last, column), last.id]);
}

function addSearch<T extends ArchivableRecord>(
  builder: SelectQueryBuilder<T>,
  columns: readonly string[],
  text: string,
): void {
  const pattern = toLikePattern(text);
  builder.andWhere(
    new Brackets((any) => {
      for (const column of columns) any.orWhere(`record.${column} ILIKE :pattern`, { pattern });
    }),
  );
}

/** Rejects forged cursors before PostgreSQL fails on them. */
function isRecordId(database: Database, entity: new () => object, id: CursorValue): boolean {
  const { type } = database.repository(entity).metadata.findColumnWithPropertyName('id')!;
  // `| 0` converts to a 32-bit integer.
  return type === 'uuid' ? isUuid(id) : typeof id === 'number' && id === (id | 0);
}
