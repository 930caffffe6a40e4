import {
  Any,
  Brackets,
  type EntityMetadata,
  type FindOptionsWhere,
  IsNull,
  Not,
  type SelectQueryBuilder,
} from 'typeorm';
import type { Database } from '../platform/database/database.js';
import { EntityColumns } from '../platform/database/entity-columns.js';
import { toLikePattern } from '../../packages/sql/src/sql-literal.js';
import { KEY_TYPES, type KeyColumn, Keyset } from '../../packages/sql/src/keyset.js';
import { type Page, readPage, type RowPage } from '../../packages/sql/src/page-reader.js';
import type { ArchivableRecord, RecordKind } from './archivable-record.js';
import type { RecordQueryDto } from './record-query.dto.js';
import { getSortType, parseSort, readKeysetPage, readSortValue } from './row-pages.repository.js';

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
  const { column, descending } = parseSort(sort);
  const sortsByCreation = column === 'createdAt';
  const { metadata } = database.repository(kind.entity);
  const name = metadata.findColumnWithPropertyName(column)!.databaseName;
  // The ID makes the order unique. IDs ascend in the order of creation and replace `createdAt`.
  const keyset = new Keyset([
    sortsByCreation ? KEY_TYPES.null : { sql: `record.${name}`, descending, ...getSortType(column) },
    { sql: 'record.id', descending, ...getIdType(metadata) },
  ]);
  const [sql, parameters] = builder.getQueryAndParameters();
  const statement = { sql, parameters: parameters as unknown[], sized: columns.sized };
  const toPosition = (row: Record<string, unknown>) => {
    const last = columns.toEntity(row);
    return [sortsByCreation ? null : readSortValue(last, column), last.id];
  };
  const page = await readKeysetPage(database, identity, statement, keyset, { limit, cursor }, toPosition);
  return { ...page, items: page.items.map((row) => columns.toEntity(row)) };
}

/** Reads values of matching records that are not archived, by their IDs in order, as many as a page contains. */
export async function readOpenRecords<T extends ArchivableRecord, Property extends keyof T>(
  database: Database,
  { entity }: RecordKind<T>,
  properties: readonly Property[],
  filter: FindOptionsWhere<T>,
  limit: number,
): Promise<RowPage<Pick<T, Property | 'id'>>> {
  const columns = new EntityColumns(database, entity, ['id', ...properties]);
  const builder = database.repository(entity).createQueryBuilder('record').select(columns.list('record'));
  builder.where({ ...filter, archivedAt: IsNull() }).orderBy('record.id');
  const [sql, parameters] = builder.getQueryAndParameters();
  const statement = { sql, parameters: parameters as unknown[], sized: columns.sized };
  const { items, hasMore } = await readPage<Record<string, unknown>>(database, statement, limit);
  return { items: items.map((row) => columns.toEntity(row)), hasMore };
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

function getIdType(metadata: EntityMetadata): Pick<KeyColumn, 'isValid'> {
  const { type } = metadata.findColumnWithPropertyName('id')!;
  // `| 0` converts to a 32-bit integer.
  return type === 'uuid' ? KEY_TYPES.uuid : { isValid: (id) => typeof id === 'number' && id === (id | 0) };
}
