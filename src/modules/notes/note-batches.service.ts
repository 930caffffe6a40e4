import { Injectable } from '@nestjs/common';
import {
  DomainError,
  type FieldError,
  toErrorDetails,
  UnavailableError,
} from '../../../packages/errors/src/domain-error.js';
import { catchDryRun, DryRun } from '../../../packages/sql/src/dry-run.js';
import { Database } from '../../platform/database/database.js';
import { createInBulk } from '../../records/bulk-create.js';
import { type BulkCreatedDto, type BulkCreateQueryDto, MAX_BULK_ITEMS } from '../../records/bulk-create.dto.js';
import type { RecordInput, UpsertResult } from '../../records/record-values.js';
import { RECORD_ERRORS } from '../../records/records.errors.js';
import { retryOnUniqueViolation } from '../../records/records.js';
import type { ChangedNotesDto, ChangeNotesQueryDto } from './dto/change-notes.dto.js';
import { BulkNoteDto, type NoteChangesDto } from './dto/save-note.dto.js';
import type { UserAuthor } from './note-author.js';
import { NoteListService } from './note-list.service.js';
import { NoteParents } from './note-parents.js';
import { NoteValues, requireContent } from './note-values.js';
import type { Note } from './note.entity.js';
import { NOTE_ERRORS, TooManyNotesError } from './notes.errors.js';
import { NotesRepository } from './notes.repository.js';
import { NotesService } from './notes.service.js';

type NoteFilters = Omit<ChangeNotesQueryDto, 'onError' | 'dryRun'>;

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
      store: (inputs) => this.storeAll(author, workspaceId!, inputs),
    });
  }

  /**
   * Changes all notes that match.
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
    const isFiltered = Object.values<unknown>(query).some((value) => value !== undefined);
    if (!isFiltered) throw new DomainError(NOTE_ERRORS.filter_required);
    const attempt = async () => {
      const report = await this.changeMatching(author, query, change);
      if (report.failed > 0 && onError !== 'continue')
        throw new DomainError(RECORD_ERRORS.invalid_items, undefined, { details: toErrorDetails(report.errors) });
      if (dryRun === 'true') throw new DryRun({ ...report, dryRun: true });
      return report;
    };
    return catchDryRun(() => retryOnUniqueViolation(() => this.database.transaction(attempt)));
  }

  private async changeMatching(
    author: UserAuthor,
    query: NoteFilters,
    input: NoteChangesDto,
  ): Promise<ChangedNotesDto> {
    const [workspaceId] = author.workspaceIds;
    const resolved = await this.values.resolve(workspaceId!, input, author);
    const selected = await this.listMatching(author, query);
    if (selected.length > MAX_BULK_ITEMS) throw new TooManyNotesError(MAX_BULK_ITEMS, selected.length);
    const locked = await this.repository.lockAll(workspaceId!, { ids: selected });
    // Until the lock, other transactions may have changed notes so that they no longer match.
    const matching = new Set(await this.listMatching(author, query));
    const notes = locked.filter(({ id }) => matching.has(id));
    const errors: FieldError[] = [];
    let changed = 0;
    let failed = 0;
    for (const note of notes) {
      const result = await catchRejection(async () => {
        if (note.archivedAt) throw new DomainError(NOTE_ERRORS.note_archived);
        return this.notes.change(note, resolved, { input, uploads: [], author });
      });
      if (result instanceof DomainError) {
        failed++;
        errors.push(...listErrors(result, `notes[${note.number}]`));
      } else if (result) changed++;
    }
    return {
      matched: notes.length,
      changed,
      unchanged: notes.length - changed - failed,
      failed,
      dryRun: false,
      errors,
    };
  }

  /** The IDs of the notes that match: at most those of one page more than a request may change. */
  private async listMatching({ workspaceIds, userId }: UserAuthor, query: NoteFilters): Promise<string[]> {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.list.findPage(workspaceIds, { ...query, limit: PAGE, cursor }, userId);
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor && ids.length <= MAX_BULK_ITEMS);
    return ids;
  }

  private async storeAll(
    author: UserAuthor,
    workspaceId: string,
    inputs: readonly NoteItem[],
  ): Promise<(UpsertResult<Note> | DomainError)[]> {
    const externalIds = inputs.flatMap(({ values: { externalId } }) => externalId ?? []);
    await this.repository.lockAll(workspaceId, { externalIds });
    // Outdated rules would reject notes.
    this.values.forgetRules(workspaceId);
    const parent = await this.parents.resolve(author, {});
    const results: (UpsertResult<Note> | DomainError)[] = [];
    for (const { item: input } of inputs)
      results.push(
        await catchRejection(async () => {
          requireContent(input, []);
          const { note, created } = await this.notes.upsert(parent, { input, uploads: [], author });
          return { record: note, created, changed: !created };
        }),
      );
    return results;
  }
}

/** Notes of a page. */
const PAGE = 500;

/** The error of a rejected note, which has written nothing. Other errors end the transaction. */
async function catchRejection<T>(work: () => Promise<T>): Promise<T | DomainError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError && !(error instanceof UnavailableError)) return error;
    throw error;
  }
}

function listErrors({ details, code, message }: DomainError, path: string): FieldError[] {
  const errors = details?.errors ?? [{ code, message }];
  return errors.map(({ field, ...error }) => ({ field: [path, field].filter(Boolean).join('.'), ...error }));
}
