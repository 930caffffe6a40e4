import { Injectable } from '@nestjs/common';
import {
  DomainError,
  type FieldError,
  toErrorDetails,
  UnavailableError,
} from '../../../packages/errors/src/domain-error.js';
import { WorkSlices } from '../../../packages/json/src/work-slices.js';
import { catchDryRun, DryRun } from '../../../packages/sql/src/dry-run.js';
import { Database } from '../../platform/database/database.js';
import { createInBulk, listErrorsAt } from '../../records/bulk-create.js';
import { type BulkCreatedDto, type BulkCreateQueryDto, MAX_BULK_ITEMS } from '../../records/bulk-create.dto.js';
import { rememberLookups } from '../../records/lookups.js';
import type { RecordInput } from '../../records/record-values.js';
import { RECORD_ERRORS } from '../../records/records.errors.js';
import { retryOnUniqueViolation } from '../../records/records.js';
import type { ChangedNotesDto, ChangeNotesQueryDto } from './dto/change-notes.dto.js';
import { BulkNoteDto, type NoteChangesDto } from './dto/save-note.dto.js';
import type { UserAuthor } from './note-author.js';
import { NoteListService } from './note-list.service.js';
import { NoteParents } from './note-parents.js';
import type { NoteConditions } from './note-search.repository.js';
import { NoteValues, requireContent, requireValidValues, type ResolvedInput } from './note-values.js';
import type { Note } from './note.entity.js';
import { TooManyNotesError } from './notes.errors.js';
import { NotesRepository } from './notes.repository.js';
import { NotesService } from './notes.service.js';

interface NoteItem extends RecordInput<Note> {
  item: BulkNoteDto;
}

/** Writes many notes in one transaction, with a result for each. */
@Injectable()
export class NoteBatchesService {
  constructor(
    private readonly database: Database,
    private readonly notes: NotesService,
    private readonly list: NoteListService,
    private readonly repository: NotesRepository,
    private readonly parents: NoteParents,
    private readonly values: NoteValues,
  ) {}

  /**
   * Creates notes, or updates those with the external IDs.
   *
   * @throws {DomainError} `invalid_items` if a note is invalid and `onError` is not `continue`; nothing is stored then.
   */
  createAll(author: UserAuthor, items: readonly object[], query: BulkCreateQueryDto): Promise<BulkCreatedDto> {
    const [workspaceId] = author.workspaceIds;
    return createInBulk<BulkNoteDto, Note, NoteItem>(this.database, {
      type: BulkNoteDto,
      items,
      query,
      toInput: (item) => Promise.resolve({ workspaceId: workspaceId!, values: { externalId: item.externalId }, item }),
      store: (inputs) => rememberLookups(() => this.storeAll(author, workspaceId!, inputs)),
    });
  }

  /**
   * Changes all notes that match. A dry run reports also the notes that cannot be changed.
   *
   * @throws {DomainError} `filter_required` if the query has no filter.
   * @throws {TooManyNotesError} if more notes match than one request may change.
   * @throws {DomainError} `invalid_items` if a note cannot be changed and `onError` is not `continue`.
   */
  changeAll(
    author: UserAuthor,
    { onError, dryRun, ...query }: ChangeNotesQueryDto,
    change: NoteChangesDto,
  ): Promise<ChangedNotesDto> {
    const attempt = async () => {
      const report = await rememberLookups(() => this.changeMatching(author, query, change));
      if (dryRun === 'true') throw new DryRun({ ...report, dryRun: true });
      if (report.failed > 0 && onError !== 'continue')
        throw new DomainError(RECORD_ERRORS.invalid_items, undefined, { details: toErrorDetails(report.errors) });
      return report;
    };
    return catchDryRun(() => retryOnUniqueViolation(() => this.database.transaction(attempt)));
  }

  private async changeMatching(
    author: UserAuthor,
    query: NoteConditions,
    input: NoteChangesDto,
  ): Promise<ChangedNotesDto> {
    const workspaceId = author.workspaceIds[0]!;
    const find = (options: { limit: number; among?: readonly string[] }) =>
      this.list.listIds(workspaceId, query, author.userId, options);
    const selected = await find({ limit: MAX_BULK_ITEMS + 1 });
    if (selected.length > MAX_BULK_ITEMS) throw new TooManyNotesError(MAX_BULK_ITEMS);
    const resolved = await this.values.resolve(workspaceId, input, author);
    requireValidValues(resolved);
    await this.repository.lockAll(workspaceId, { ids: selected });
    // Until the lock, other transactions may have changed notes so that they no longer match.
    const matching = await find({ limit: MAX_BULK_ITEMS, among: selected });
    const errors: FieldError[] = [];
    let changed = 0;
    let failed = 0;
    for (const id of matching) {
      const note = await this.repository.lock({ workspaceId, id });
      const write = { input, uploads: [], author };
      const result = await catchRejection(() => this.notes.change(note!, resolved, write));
      if (result instanceof DomainError) {
        failed++;
        errors.push(...listErrorsAt(`notes[${note!.number}]`, result));
      } else if (result) changed++;
    }
    return {
      matched: matching.length,
      changed,
      unchanged: matching.length - changed - failed,
      failed,
      dryRun: false,
      errors,
    };
  }

  private async storeAll(
    author: UserAuthor,
    workspaceId: string,
    inputs: readonly NoteItem[],
  ): Promise<({ record: Pick<Note, 'id' | 'externalId'>; created: boolean; changed: boolean } | DomainError)[]> {
    // Outdated rules would reject notes.
    this.values.forgetRules(workspaceId);
    const parent = await this.parents.resolve(author, {});
    // Rows are locked before notes, and looked up before a write locks the counter.
    const resolved: (ResolvedInput | DomainError)[] = [];
    const slices = new WorkSlices();
    for (const { item } of inputs) {
      await slices.pauseIfDue();
      const resolve = async () => {
        requireContent(item, []);
        return this.values.resolve(workspaceId, item, author, true);
      };
      resolved.push(await catchRejection(resolve));
    }
    const externalIds = inputs.flatMap(({ values: { externalId } }) => externalId ?? []);
    await this.repository.lockAll(workspaceId, { externalIds });
    const store = async (input: BulkNoteDto, values: ResolvedInput) => {
      const { note, ...outcome } = await this.notes.upsert(parent, values, { input, uploads: [], author });
      // The other fields of a thousand notes can be too large.
      return { record: { id: note.id, externalId: note.externalId }, ...outcome };
    };
    const results = [];
    for (const [at, { item }] of inputs.entries()) {
      const values = resolved[at]!;
      results.push(values instanceof DomainError ? values : await catchRejection(() => store(item, values)));
    }
    return results;
  }
}

/** The error of a rejected note, which has written nothing. Other errors end the transaction. */
async function catchRejection<T>(work: () => Promise<T>): Promise<T | DomainError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError && !(error instanceof UnavailableError)) return error;
    throw error;
  }
}
