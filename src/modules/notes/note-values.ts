import { Injectable } from '@nestjs/common';
import type { Upload } from '../../platform/body/upload.js';
import { InvalidRequestError } from '../../../packages/errors/src/domain-error.js';
import { RowReferences } from '../../records/row-references.js';
import type { ChangeNoteDto, SaveNoteDto } from './dto/save-note.dto.js';
import type { NoteParent } from './note-parents.js';
import { NoteStatusesService, type OwnStatuses } from './note-statuses.service.js';
import type { Note } from './note.entity.js';
import type { NewNoteEvent } from './notes.repository.js';

/** The fields of a note on all API surfaces. Absent fields remain unchanged; null clears a field. */
export type NoteInput = Partial<Omit<SaveNoteDto, 'id'> & ChangeNoteDto>;

/** Fields whose columns are derived. All other fields are stored as sent. */
const DERIVED_FROM: ReadonlySet<string> = new Set<keyof NoteInput>([
  'status',
  'projectId',
  'tagId',
  'tourId',
  'location',
  'locationKey',
  'asset',
  'assetKey',
]);

/** Pairs of columns that are one field in events. */
const REFERENCES = {
  location: ['locationTableId', 'locationKey'],
  asset: ['assetTableId', 'assetKey'],
} as const;

/** Columns without an event of their own, because they follow from other fields. */
const WITHOUT_EVENT: readonly string[] = ['closedAt', 'tourId', ...REFERENCES.location, ...REFERENCES.asset];

/** A new note without a field is a mistake: its body was lost on the way. @throws {InvalidRequestError} */
export function requireContent(input: NoteInput, uploads: readonly Upload[]): void {
  const values: unknown[] = Object.values(input);
  if (uploads.length > 0 || values.some((value) => value !== undefined && value !== null)) return;
  const message = 'The note has no field. Send at least one, such as title.';
  throw new InvalidRequestError([{ field: '', code: 'required', message }], message);
}

/** Converts the fields of a request to the columns of a note. */
@Injectable()
export class NoteValues {
  constructor(
    private readonly statuses: NoteStatusesService,
    private readonly references: RowReferences,
  ) {}

  /**
   * The columns of a new note, and the statuses that the workspace must still have when it is inserted. If it has
   * others, call `forgetStatuses` and repeat both.
   *
   * @throws {InvalidNoteError}
   */
  async toNewColumns(input: NoteInput, parent: NoteParent): Promise<{ columns: Partial<Note>; statuses: OwnStatuses }> {
    const { status, own } = await this.statuses.recall(parent.workspaceId, input.status ?? null);
    const closedAt = status.category === 'done' ? new Date() : null;
    const columns = { customFields: {}, ...toPlainColumns(input), ...parent, status: status.key, closedAt };
    return { columns, statuses: own };
  }

  forgetStatuses(workspaceId: string): void {
    this.statuses.forget(workspaceId);
  }

  /** @throws {InvalidNoteError} */
  async toChangedColumns(note: Note, input: NoteInput, parent: NoteParent | undefined): Promise<Partial<Note>> {
    const columns = { ...toPlainColumns(input), ...parent };
    if (input.status === undefined) return columns;
    const { key, category } = await this.statuses.get(note.workspaceId, input.status);
    // A change from one status of category `done` to another retains the time of the first.
    const closedAt = category === 'done' ? (note.closedAt ?? new Date()) : null;
    return { ...columns, status: key, closedAt };
  }

  /**
   * The columns of the location and the asset. Their rows are locked until the transaction ends. Call this before
   * locking the note: a key rename takes its locks in the same order.
   *
   * @throws {UnknownRowError | AmbiguousRowError}
   */
  lockRows(workspaceId: string, input: NoteInput): Promise<Partial<Note>> {
    return this.references.resolve(workspaceId, input);
  }
}

function toPlainColumns(input: NoteInput): Partial<Note> {
  const { customFields } = input;
  const plain = Object.entries<unknown>(input).filter(
    ([field, value]) => value !== undefined && !DERIVED_FROM.has(field),
  );
  // The column is not nullable: null clears all custom fields.
  return { ...Object.fromEntries(plain), ...(customFields === null ? { customFields: {} } : {}) };
}

/** One event per changed field. */
export function toChangeEvents(note: Note, changed: Partial<Note>): NewNoteEvent[] {
  const fields = Object.entries(changed)
    .filter(([column]) => !WITHOUT_EVENT.includes(column))
    .map(([column, to]) => toChangeEvent(column, toJson(note[column as keyof Note]), toJson(to)));
  const references = Object.entries(REFERENCES)
    .filter(([, columns]) => columns.some((column) => Object.hasOwn(changed, column)))
    .map(([field, [table, key]]) => {
      const after = { ...note, ...changed };
      return toChangeEvent(field, toReference(note[table], note[key]), toReference(after[table], after[key]));
    });
  return [...fields, ...references];
}

function toChangeEvent(field: string, from: unknown, to: unknown): NewNoteEvent {
  return { kind: 'changed', field, from, to };
}

function toReference(tableId: string | null, key: string | null) {
  return tableId === null ? null : { tableId, key };
}

function toJson(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}
