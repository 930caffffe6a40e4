import { type FindOptionsWhere, In } from 'typeorm';
import type { Database } from '../platform/database/database.js';
import { SQLSTATE, sqlState } from '../platform/database/database.errors.js';
import type { Directory } from '../platform/database/directory.js';
import { DomainError, NotFoundError } from '../platform/http/domain-error.js';
import type { Page } from '../platform/http/page.dto.js';
import { type AcceptedVersions, requireVersion } from '../platform/http/conditional-requests.js';
import { changedValues } from './changed-values.js';
import type { KeptRecord } from './kept-record.js';
import type { Author, Draft, Saved } from './draft.js';
import { insertRecords } from './record-insert.js';
import type { RecordKind } from './record-kind.js';
import { pageOfRecords } from './record-pages.js';
import type { RecordQueryDto } from './record-query.dto.js';
import { ArchivedError, ExternalIdTakenError, ParentImmutableError } from './records.errors.js';

/** What all kinds of records do alike: lists, versions, external ids, the archive. A module's service has one a kind. */
export class Records<T extends KeptRecord> {
  constructor(
    private readonly database: Database,
    private readonly directory: Directory,
    private readonly kind: RecordKind<T>,
  ) {}

  /** A page of the workspaces' records that match, in the order asked for. @throws {InvalidCursorError} */
  page(
    workspaceIds: readonly string[],
    query: RecordQueryDto,
    filter: FindOptionsWhere<T> | FindOptionsWhere<T>[] = {},
  ): Promise<Page<T>> {
    return pageOfRecords(this.database, this.kind, workspaceIds, query, filter);
  }

  find(workspaceIds: readonly string[], id: T['id']): Promise<T | undefined> {
    return this.findOne({ workspaceId: In([...workspaceIds]), id } as FindOptionsWhere<T>);
  }

  /** @throws {NotFoundError} where there is none in the workspaces. */
  async get(workspaceIds: readonly string[], id: T['id'], field?: string): Promise<T> {
    const record = await this.find(workspaceIds, id);
    if (!record) throw new NotFoundError(this.kind.what, field);
    return record;
  }

  /**
   * The record, to have others filed against it.
   *
   * @param field by which the caller names it. @throws {NotFoundError | ArchivedError} also where what it is in is put away.
   */
  async getOpen(workspaceIds: readonly string[], id: T['id'], field?: string): Promise<T> {
    const record = await this.get(workspaceIds, id, field);
    if (record.archivedAt) throw new ArchivedError(this.kind.what, field);
    await this.kind.requirePlace?.(record, field);
    return record;
  }

  /**
   * Creates the record; where one has its external id, changes that one instead.
   *
   * @param draftOf what is to be stored, found out in the same transaction.
   * @throws {PreconditionFailedError} where it has none of the accepted versions, or is not there yet.
   * @throws {ArchivedError | ParentImmutableError} where that one cannot be changed so.
   */
  async create(draftOf: () => Promise<Draft<T>>, author: Author, accepted?: AcceptedVersions): Promise<Saved<T>> {
    const attempt = async () => {
      const [saved] = await this.store([await draftOf()], author, accepted);
      // Within the transaction: what the draft has written goes too.
      if (saved instanceof DomainError) throw saved;
      return saved!;
    };
    return retryOnConflict(() => this.database.transaction(attempt));
  }

  /** The same for many, no two of which have one external id; with why not, for those that cannot be changed so. */
  createAll(drafts: readonly Draft<T>[], author: Author): Promise<(Saved<T> | DomainError)[]> {
    return this.database.transaction(() => this.store(drafts, author));
  }

  /**
   * Changes what is named, where the record has one of the accepted versions. What is as it was spends no version.
   *
   * @param values what to write, once the record is locked.
   * @throws {NotFoundError | PreconditionFailedError | ArchivedError}
   */
  async change(
    workspaceIds: readonly string[],
    id: T['id'],
    author: Author,
    accepted: AcceptedVersions,
    values: Partial<T> | ((record: T) => Promise<Partial<T>>),
  ): Promise<T> {
    return this.locked(workspaceIds, id, accepted, async (record) => {
      if (record.archivedAt) throw new ArchivedError(this.kind.what);
      await this.kind.requirePlace?.(record);
      return this.write(record, typeof values === 'function' ? await values(record) : values, author);
    });
  }

  /**
   * Puts the record away, or brings it back; what it is already is no change.
   *
   * @throws {NotFoundError | PreconditionFailedError}
   * @throws {ArchivedError} where it is to come back into what is put away.
   */
  async archive(
    workspaceIds: readonly string[],
    id: T['id'],
    author: Author,
    accepted: AcceptedVersions,
    archived: boolean,
  ): Promise<T> {
    return this.locked(workspaceIds, id, accepted, async (record) => {
      if ((record.archivedAt !== null) === archived) return record;
      if (!archived) await this.kind.requirePlace?.(record);
      return this.write(record, { archivedAt: archived ? new Date() : null } as Partial<T>, author);
    });
  }

  private async store(
    drafts: readonly Draft<T>[],
    author: Author,
    accepted?: AcceptedVersions,
  ): Promise<(Saved<T> | DomainError)[]> {
    const known = await this.lockKnown(drafts);
    for (const draft of drafts) requireVersion(known.get(nameOf(draft)), accepted);
    const fresh = drafts.filter((draft) => !known.has(nameOf(draft)));
    const made = await insertRecords(this.database, this.directory, this.kind, fresh, author);
    const saved: (Saved<T> | DomainError)[] = [];
    for (const draft of drafts) {
      const record = known.get(nameOf(draft));
      const refused = record && this.refusal(record, draft);
      if (refused) saved.push(refused);
      else if (record) {
        const { version } = record;
        const written = await this.write(record, draft.values, author);
        saved.push({ record: written, created: false, changed: written.version > version });
      } else saved.push({ record: made.shift()!, created: true, changed: false });
    }
    return saved;
  }

  private refusal(record: T, { values }: Draft<T>): DomainError | undefined {
    if (record.archivedAt) return new ArchivedError(this.kind.what);
    const other = this.kind.fixed?.find((field) => field in changedValues(record, values));
    return other ? new ParentImmutableError(this.kind.what, record.externalId!, other) : undefined;
  }

  /** Those that are there already, locked in the order of their ids: two who write the same wait for one another. */
  private async lockKnown(drafts: readonly Draft<T>[]): Promise<Map<string, T>> {
    const named = drafts.filter(({ values }) => values.externalId);
    if (named.length === 0) return new Map();
    const found = await this.database.manager.find(this.kind.entity, {
      where: {
        workspaceId: In([...new Set(named.map(({ workspaceId }) => workspaceId))]),
        externalId: In(named.map(({ values }) => values.externalId)),
      } as FindOptionsWhere<T>,
      order: { id: 'ASC' } as never,
      lock: { mode: 'pessimistic_write' },
    });
    return new Map(found.map((record) => [nameOf({ workspaceId: record.workspaceId, values: record }), record]));
  }

  private async write(record: T, values: Partial<T>, { userId }: Author): Promise<T> {
    const changed = changedValues(record, values);
    if (Object.keys(changed).length === 0) return record;
    Object.assign(record, changed, { updatedBy: userId });
    this.kind.requireSound?.(record, changed);
    try {
      return await this.database.manager.save(record);
    } catch (error) {
      if (sqlState(error) !== SQLSTATE.uniqueViolation || !changed.externalId) throw error;
      throw new ExternalIdTakenError(this.kind.what, changed.externalId);
    }
  }

  private locked(
    workspaceIds: readonly string[],
    id: T['id'],
    accepted: AcceptedVersions,
    work: (record: T) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async () => {
      const record = await this.findOne({ workspaceId: In([...workspaceIds]), id } as FindOptionsWhere<T>, true);
      if (!record) throw new NotFoundError(this.kind.what);
      requireVersion(record, accepted);
      return work(record);
    });
  }

  private async findOne(where: FindOptionsWhere<T>, locked = false): Promise<T | undefined> {
    const lock = locked ? { lock: { mode: 'pessimistic_write' } as const } : {};
    return (await this.database.manager.findOne(this.kind.entity, { where, ...lock })) ?? undefined;
  }
}

/** Does the work again where another has created the same at this very moment: now it is there to be changed. */
export async function retryOnConflict<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (sqlState(error) !== SQLSTATE.uniqueViolation) throw error;
    return work();
  }
}

function nameOf<T extends KeptRecord>({ workspaceId, values }: Draft<T>): string {
  return `${workspaceId} ${values.externalId ?? ''}`;
}
