import { Any, type FindOptionsWhere, MoreThan } from 'typeorm';
import type { Database } from '../platform/database/database.js';
import type { RecordsById } from '../platform/database/entity-columns.js';
import type { Directory } from '../platform/database/directory.js';
import type { AcceptedVersions } from '../platform/http/conditional-requests.js';
import { type Page, readInPages } from '../../packages/sql/src/page-reader.js';
import type { Principal, WorkspaceAccess } from '../platform/security/principal.js';
import { resolveWorkspaces } from '../platform/security/workspace-access.js';
import type { ArchivableRecord, RecordKind, RecordListener } from './archivable-record.js';
import { readOpenRecords } from './record-pages.repository.js';
import type { RecordQueryDto } from './record-query.dto.js';
import type { RecordInput, UpsertResult } from './record-values.js';
import { Records } from './records.js';

/** What the services of all kinds of records share. A service adds its input, its responses and its own rules. */
export abstract class ArchivableRecordService<T extends ArchivableRecord, Dto> {
  protected readonly records: Records<T>;

  protected constructor(
    protected readonly database: Database,
    directory: Directory,
    private readonly kind: RecordKind<T>,
  ) {
    this.records = new Records(database, directory, kind);
  }

  /**
   * The responses of the records, in their order.
   *
   * @param isNew the records were just created, so nothing refers to them yet.
   */
  protected abstract toDtos(records: readonly T[], isNew?: boolean): Promise<Dto[]>;

  /** From now on, the listener receives each change, in its transaction. */
  onChange(listener: RecordListener): void {
    this.records.listener = listener;
  }

  /** The records that exist, in the order of these IDs, as many as a page contains. */
  async readByIds(workspaceId: string, ids: readonly T['id'][]): Promise<RecordsById<Dto>> {
    const { found, unread } = await this.records.readByIds(workspaceId, ids);
    return { found: await this.toDtos(found), unread };
  }

  /**
   * Values of the records that are not archived, in the order of their IDs, as many as a page contains.
   *
   * @param after the last ID.
   */
  async listOpen<Property extends keyof T>(
    workspaceId: string,
    properties: readonly Property[],
    after: T['id'] | undefined,
    limit: number,
  ): Promise<Pick<T, Property | 'id'>[]> {
    const filter = { workspaceId } as FindOptionsWhere<T>;
    if (after !== undefined) Object.assign(filter, { id: MoreThan(after) });
    return (await readOpenRecords(this.database, this.kind, properties, filter, limit)).items;
  }

  /** Values of those of the records that are not archived, in pages. */
  readOpen<Property extends keyof T>(
    workspaceId: string,
    properties: readonly Property[],
    ids: readonly T['id'][],
  ): AsyncGenerator<Pick<T, Property | 'id'>[]> {
    return readInPages<Pick<T, Property | 'id'>>(ids, (unread) => {
      const filter = { workspaceId, id: Any([...unread]) } as FindOptionsWhere<T>;
      return readOpenRecords(this.database, this.kind, properties, filter, unread.length);
    });
  }

  /** @throws {NotFoundError} if none of the workspaces contains it. */
  async get(access: WorkspaceAccess, id: T['id']): Promise<Dto> {
    return this.toDto(await this.records.get(access, id));
  }

  /**
   * The record as the parent of another one.
   *
   * @throws {NotFoundError | InsufficientRoleError | ArchivedError} also if its own parent is archived.
   */
  getOpen(access: WorkspaceAccess, id: T['id'], field?: string): Promise<T> {
    return this.records.getOpen(access, id, field);
  }

  /** Archives or restores the record. @throws {NotFoundError | PreconditionFailedError | ArchivedError} */
  async archive(caller: Principal, id: T['id'], archived: boolean, accepted: AcceptedVersions): Promise<Dto> {
    return this.toDto(await this.records.archive(caller, id, caller, accepted, archived));
  }

  /** A page of the matching records of the caller. @throws {NotFoundError | InvalidCursorError} */
  protected async getPage(
    caller: Principal,
    query: RecordQueryDto,
    filter: FindOptionsWhere<T> | FindOptionsWhere<T>[],
  ): Promise<Page<Dto>> {
    const page = await this.records.getPage(resolveWorkspaces(caller, query.workspaceId), query, filter);
    return { ...page, items: await this.toDtos(page.items) };
  }

  /** Creates the record, or updates the one with its external ID. See `Records.create` for the errors. */
  protected async upsert(
    toInput: () => Promise<RecordInput<T>>,
    caller: Principal,
    accepted?: AcceptedVersions,
  ): Promise<UpsertResult<Dto>> {
    const result = await this.records.create(toInput, caller, accepted);
    const [record] = await this.toDtos([result.record], result.created);
    return { ...result, record: record! };
  }

  protected async toDto(record: T): Promise<Dto> {
    return (await this.toDtos([record]))[0]!;
  }
}
