import { type DeepPartial, type FindOptionsOrder, type FindOptionsSelect, type FindOptionsWhere, In } from 'typeorm';
import { uuid } from '../../packages/sql/src/uuid.js';
import type { Database } from '../platform/database/database.js';
import { SQLSTATE, sqlState } from '../../packages/sql/src/sql-state.js';
import { EntityColumns, type RecordsById } from '../platform/database/entity-columns.js';
import type { Directory } from '../platform/database/directory.js';
import { DomainError, NotFoundError } from '../../packages/errors/src/domain-error.js';
import { type Page, readInPages } from '../../packages/sql/src/page-reader.js';
import { type AcceptedVersions, requireVersion } from '../platform/http/conditional-requests.js';
import type { WorkspaceAccess } from '../platform/security/principal.js';
import { requirePermitted } from '../platform/security/workspace-access.js';
import type { ArchivableRecord, RecordChange, RecordKind, RecordListener } from './archivable-record.js';
import { getRecordPage } from './record-pages.repository.js';
import type { RecordQueryDto } from './record-query.dto.js';
import {
  type Actor,
  compareExternalIds,
  pickChanges,
  pickKeys,
  type RecordInput,
  type RecordKeys,
  toExternalKey,
  type UpsertResult,
} from './record-values.js';
import { ArchivedError, ExternalIdTakenError, ParentImmutableError } from './records.errors.js';

/** The use cases that all kinds of records share: lists, versions, external IDs, the archive. One instance per kind. */
export class Records<T extends ArchivableRecord> {
  /** Receives each change. */
  listener: RecordListener | undefined;

  constructor(
    private readonly database: Database,
    private readonly directory: Directory,
    private readonly kind: RecordKind<T>,
  ) {}

  /** A page of the matching records of the workspaces. @throws {InvalidCursorError} */
  getPage(
    workspaceIds: readonly string[],
    query: RecordQueryDto,
    filter: FindOptionsWhere<T> | FindOptionsWhere<T>[] = {},
  ): Promise<Page<T>> {
    return getRecordPage(this.database, this.kind, workspaceIds, query, filter);
  }

  /** Records in the order of these IDs, as many as a page contains. */
  readByIds(workspaceId: string, ids: readonly T['id'][]): Promise<RecordsById<T>> {
    return new EntityColumns(this.database, this.kind.entity).readByIds(workspaceId, ids);
  }

  /** @throws {InsufficientRoleError} */
  find(access: WorkspaceAccess, id: T['id']): Promise<T | undefined> {
    return this.findById(access, id, false);
  }

  /**
   * @param field names the record in the request.
   * @throws {NotFoundError} if none of the workspaces contains it.
   * @throws {InsufficientRoleError} if it is in a workspace in which the caller's role does not suffice.
   */
  async get(access: WorkspaceAccess, id: T['id'], field?: string): Promise<T> {
    const record = await this.find(access, id);
    if (!record) throw new NotFoundError(this.kind.label, field);
    return record;
  }

  /**
   * The record as the parent of another one: neither it nor its own parent may be archived.
   *
   * @param field names the record in the request.
   * @throws {NotFoundError | InsufficientRoleError | ArchivedError}
   */
  async getOpen(access: WorkspaceAccess, id: T['id'], field?: string): Promise<T> {
    const record = await this.get(access, id, field);
    if (record.archivedAt) throw new ArchivedError(this.kind.label, field);
    await this.kind.requireOpenParent?.(record, field);
    return record;
  }

  /**
   * Creates the record, or updates the one with its external ID.
   *
   * @param toInput runs in the same transaction; its writes are rolled back with it.
   * @throws {PreconditionFailedError} if `accepted` is set and the record is absent or has another version.
   * @throws {ArchivedError | ParentImmutableError} if the existing record cannot be updated.
   */
  async create(
    toInput: () => Promise<RecordInput<T>>,
    actor: Actor,
    accepted?: AcceptedVersions,
  ): Promise<UpsertResult<T>> {
    const attempt = async () => {
      const [result] = await this.upsert([await toInput()], actor, (record) => record, accepted);
      if (result instanceof DomainError) throw result;
      return result!;
    };
    return retryOnUniqueViolation(() => this.database.transaction(attempt));
  }

  /** Creates or updates many records with different external IDs. Rejected ones return their error. */
  createAll(inputs: readonly RecordInput<T>[], actor: Actor): Promise<(UpsertResult<RecordKeys<T>> | DomainError)[]> {
    return this.database.transaction(() => this.upsert(inputs, actor, pickKeys));
  }

  /**
   * Updates the values sent. The version is not incremented if no value differs.
   *
   * @param values a function computes them from the locked record.
   * @throws {NotFoundError | InsufficientRoleError | PreconditionFailedError | ArchivedError}
   */
  async change(
    access: WorkspaceAccess,
    id: T['id'],
    actor: Actor,
    accepted: AcceptedVersions,
    values: Partial<T> | ((record: T) => Promise<Partial<T>>),
  ): Promise<T> {
    return this.lockAndWrite(access, id, accepted, 'updated', async (record) => {
      if (record.archivedAt) throw new ArchivedError(this.kind.label);
      await this.kind.requireOpenParent?.(record);
      const changes = typeof values === 'function' ? await values(record) : values;
      return this.write(record, this.prepareValues(changes, record), actor);
    });
  }

  /**
   * Archives or restores the record. The version is not incremented if it already has that state.
   *
   * @throws {NotFoundError | InsufficientRoleError | PreconditionFailedError}
   * @throws {ArchivedError} if the parent of a record to restore is archived.
   */
  async archive(
    access: WorkspaceAccess,
    id: T['id'],
    actor: Actor,
    accepted: AcceptedVersions,
    archived: boolean,
  ): Promise<T> {
    const change = archived ? 'archived' : 'restored';
    return this.lockAndWrite(access, id, accepted, change, async (record) => {
      if ((record.archivedAt !== null) === archived) return record;
      if (!archived) await this.kind.requireOpenParent?.(record);
      return this.write(record, { archivedAt: archived ? new Date() : null } as Partial<T>, actor);
    });
  }

  /** Changes all records of the workspace that match, also archived ones, in the open transaction. */
  async changeAll(workspaceId: string, filter: FindOptionsWhere<T>, values: Partial<T>): Promise<void> {
    const where = { ...filter, workspaceId } as FindOptionsWhere<T>;
    const found = await this.lock(where);
    if (found.length === 0) return;
    await this.database.repository(this.kind.entity).update(where, values as never);
    await this.announce('updated', found);
  }

  /** @param toKept selects what the results contain of a record: a thousand whole ones can be too large. */
  private async upsert<Kept extends RecordKeys<T>>(
    inputs: readonly RecordInput<T>[],
    actor: Actor,
    toKept: (record: T) => Kept,
    accepted?: AcceptedVersions,
  ): Promise<(UpsertResult<Kept> | DomainError)[]> {
    const existing = await this.lockByExternalId(inputs);
    const added = inputs.filter((input) => !existing.has(toExternalKey(input)));
    if (added.length > 0) requireVersion(undefined, accepted);
    const prepared = added.map((input) => this.prepare(input));
    const inserted = await this.insert(
      prepared.filter((input): input is RecordInput<T> => !(input instanceof DomainError)),
      actor,
    );
    const updated = new Map<string, UpsertResult<Kept> | DomainError>();
    const sent = new Map(inputs.map((input) => [toExternalKey(input), input]));
    const read = inputs.flatMap((input) => existing.get(toExternalKey(input)) ?? []);
    for await (const record of this.readAll(read)) {
      requireVersion(record, accepted);
      const key = toExternalKey({ workspaceId: record.workspaceId, values: record });
      const result = await this.update(record, sent.get(key)!, actor);
      updated.set(key, result instanceof DomainError ? result : { ...result, record: toKept(result.record) });
    }
    const results = inputs.map((input) => {
      const result = updated.get(toExternalKey(input)) ?? prepared.shift()!;
      if (result instanceof DomainError || 'record' in result) return result;
      return { record: toKept(inserted.shift()!), created: true, changed: false };
    });
    const changed = results.flatMap((result) => ('changed' in result && result.changed ? [result.record] : []));
    await this.announce('updated', changed);
    return results;
  }

  /** The locked records, read in pages. */
  private async *readAll(keys: readonly RecordKeys<T>[]): AsyncGenerator<T> {
    for (const workspaceId of new Set(keys.map((each) => each.workspaceId))) {
      const read = async (ids: readonly T['id'][]) => {
        const { found, unread } = await this.readByIds(workspaceId, ids);
        return { items: found, hasMore: unread.size > 0 };
      };
      const ids = keys.flatMap((each) => (each.workspaceId === workspaceId ? [each.id] : []));
      for await (const page of readInPages<T>(ids, read)) yield* page;
    }
  }

  private async update(record: T, input: RecordInput<T>, actor: Actor): Promise<UpsertResult<T> | DomainError> {
    const prepared = this.prepare(input, record);
    if (prepared instanceof DomainError) return prepared;
    const { version } = record;
    const written = await this.write(record, prepared.values, actor);
    return { record: written, created: false, changed: written.version > version };
  }

  /** The input with the values to store, or the error if it cannot be stored. @param record the existing one. */
  private prepare({ workspaceId, values }: RecordInput<T>, record?: T): RecordInput<T> | DomainError {
    if (record?.archivedAt) return new ArchivedError(this.kind.label);
    const changes = record ? pickChanges(record, values) : {};
    const field = this.kind.immutable?.find((property) => property in changes);
    if (field) return new ParentImmutableError(this.kind.label, record!.externalId!, field);
    try {
      return { workspaceId, values: this.prepareValues(values, record) };
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
  }

  private prepareValues(values: Partial<T>, record?: T): Partial<T> {
    return this.kind.prepare?.(values, record) ?? values;
  }

  /** The existing records by external key, locked. */
  private async lockByExternalId(inputs: readonly RecordInput<T>[]): Promise<Map<string, RecordKeys<T>>> {
    const identified = inputs.filter(({ values }) => values.externalId);
    if (identified.length === 0) return new Map();
    const found = await this.lock({
      workspaceId: In([...new Set(identified.map(({ workspaceId }) => workspaceId))]),
      externalId: In(identified.map(({ values }) => values.externalId)),
    } as FindOptionsWhere<T>);
    return new Map(found.map((keys) => [toExternalKey({ workspaceId: keys.workspaceId, values: keys }), keys]));
  }

  /** Locks records in the order of their IDs, against deadlocks. It reads only what identifies them. */
  private lock(where: FindOptionsWhere<T>): Promise<RecordKeys<T>[]> {
    return this.database.repository(this.kind.entity).find({
      select: { workspaceId: true, id: true, externalId: true } as FindOptionsSelect<T>,
      where,
      order: { id: 'ASC' } as FindOptionsOrder<T>,
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Inserts new records and adds them to the directory. The result contains the defaults of the database. */
  private async insert(inputs: readonly RecordInput<T>[], { userId }: Actor): Promise<T[]> {
    if (inputs.length === 0) return [];
    const repository = this.database.repository(this.kind.entity);
    const ids: (string | number)[] = (await this.kind.createIds?.(inputs.length)) ?? inputs.map(() => uuid());
    const records = inputs.map(({ workspaceId, values }, index) =>
      repository.create({
        ...values,
        workspaceId,
        id: ids[index],
        createdBy: userId,
        updatedBy: userId,
      } as DeepPartial<T>),
    );
    for (const workspaceId of new Set(inputs.map((input) => input.workspaceId))) {
      const own = records.filter((record) => record.workspaceId === workspaceId);
      await this.directory.add(
        this.kind.kind,
        workspaceId,
        own.map(({ id }) => id),
      );
    }
    // Unlike save(), insert() does not SELECT the records first. All writers insert in the same order: otherwise two
    // requests with the same external IDs would wait for each other until PostgreSQL ends one of them.
    await repository.insert(records.toSorted(compareExternalIds) as never);
    for (const record of records as Record<string, unknown>[])
      for (const { propertyName } of repository.metadata.columns) record[propertyName] ??= null;
    await this.announce('created', records);
    return records;
  }

  private async write(record: T, values: Partial<T>, { userId }: Actor): Promise<T> {
    const changes = pickChanges(record, values);
    if (Object.keys(changes).length === 0) return record;
    Object.assign(record, changes, { updatedBy: userId });
    try {
      return await this.database.repository(this.kind.entity).save(record);
    } catch (error) {
      if (sqlState(error) !== SQLSTATE.uniqueViolation || !changes.externalId) throw error;
      throw new ExternalIdTakenError(this.kind.label, changes.externalId);
    }
  }

  private lockAndWrite(
    access: WorkspaceAccess,
    id: T['id'],
    accepted: AcceptedVersions,
    change: RecordChange,
    write: (record: T) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async () => {
      const record = await this.findById(access, id, true);
      if (!record) throw new NotFoundError(this.kind.label);
      requireVersion(record, accepted);
      const { version } = record;
      const written = await write(record);
      if (written.version > version) await this.announce(change, [written]);
      return written;
    });
  }

  private async announce(change: RecordChange, records: readonly RecordKeys<T>[]): Promise<void> {
    if (!this.listener) return;
    for (const workspaceId of new Set(records.map((record) => record.workspaceId))) {
      const own = records.filter((record) => record.workspaceId === workspaceId);
      await this.listener(workspaceId, change, own);
    }
  }

  private async findById(access: WorkspaceAccess, id: T['id'], withLock: boolean): Promise<T | undefined> {
    const workspaceId = await this.findWorkspace(access, id);
    if (workspaceId === undefined) return undefined;
    const where = { workspaceId, id } as FindOptionsWhere<T>;
    const lock = withLock ? { lock: { mode: 'pessimistic_write' } as const } : {};
    return (await this.database.repository(this.kind.entity).findOne({ where, ...lock })) ?? undefined;
  }

  /** The only workspace that can contain the record: a caller can have thousands. @throws {InsufficientRoleError} */
  private async findWorkspace({ workspaceIds, rejected }: WorkspaceAccess, id: T['id']): Promise<string | undefined> {
    if (workspaceIds.length <= 1 && !rejected) return workspaceIds[0];
    const owner = await this.directory.findWorkspace(this.kind.kind, id);
    if (owner === undefined) return undefined;
    requirePermitted({ rejected }, owner);
    return workspaceIds.includes(owner) ? owner : undefined;
  }
}

/**
 * Repeats the work if a concurrent request inserted the same unique value: the second attempt updates that record.
 *
 * @param work a transaction of its own: PostgreSQL rejects all further statements of an open one.
 */
export async function retryOnUniqueViolation<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (sqlState(error) !== SQLSTATE.uniqueViolation) throw error;
    return work();
  }
}
