import { Injectable } from '@nestjs/common';
import type { Upload } from '../../platform/body/upload.js';
import { type DomainError, InvalidRequestError } from '../../../packages/errors/src/domain-error.js';
import { AmbiguousRowError, UnknownRowError } from '../../../packages/tables/src/catalog/tables.errors.js';
import type { ReferredEntity } from '../../records/row-references.js';
import { RowReferencesService } from '../workspace-tables/query/row-references.service.js';
import { MAX_CUSTOM_FIELDS } from './dto/note-fields.dto.js';
import type { ChangeNoteDto, SaveNoteDto } from './dto/save-note.dto.js';
import type { NoteAuthor } from './note-author.js';
import { acceptStored, type FieldValues, findStored, NoteFieldValues } from './note-field-values.js';
import type { NoteParent } from './note-parents.js';
import { findByKey, isBindable, isOfType, listStatuses, type NoteRules, type NoteType } from './note-rules.js';
import { NoteRulesService, type OwnRules } from './note-rules.service.js';
import { findStatus, getInitialStatus, type NoteStatus } from './note-status.js';
import type { Note } from './note.entity.js';
import { findEntryError, findTransitionError } from './note-transitions.js';
import { InvalidNoteError, type NoteFieldError } from './notes.errors.js';

/** The fields of a note on all API surfaces. Absent fields remain unchanged; null clears a field. */
export type NoteInput = Partial<Omit<SaveNoteDto, 'id'> & ChangeNoteDto>;

/** Fields whose columns are derived. All other fields are stored as sent. */
const DERIVED_FROM: ReadonlySet<string> = new Set<keyof NoteInput>([
  'status',
  'type',
  'customFields',
  'fields',
  'projectId',
  'tagId',
  'tourId',
  'location',
  'locationKey',
  'asset',
  'assetKey',
]);

type CustomFields = Note['customFields'];

/** A new note without a field is a mistake: its body was lost on the way. @throws {InvalidRequestError} */
export function requireContent(input: NoteInput, uploads: readonly Upload[]): void {
  const values: unknown[] = Object.values(input);
  if (uploads.length > 0 || values.some((value) => value !== undefined && value !== null)) return;
  const message = 'The note has no field. Send at least one, such as title.';
  throw new InvalidRequestError([{ field: '', code: 'required', message }], message);
}

/** A location or an asset of a request that names no row, or several. */
interface RejectedRow {
  field: ReferredEntity;
  key: string | null | undefined;
  /** Those that the request names; undefined: all. */
  tableIds: readonly string[] | undefined;
  error: DomainError;
}

/** What a request stores, as far as it does not depend on the note. */
export interface ResolvedInput {
  /** Location and asset. */
  rows: Partial<Note>;
  rejectedRows: readonly RejectedRow[];
  values: FieldValues;
  rules: NoteRules;
  /** Messages to anonymous callers do not list types and fields. */
  isAnonymous: boolean;
  /** What the statement that inserts a note compares. */
  own: OwnRules;
}

/** What a request sets in a note, with the errors for which it is not stored. */
export interface CheckedColumns {
  columns: Partial<Note>;
  errors: readonly DomainError[];
}

/** Converts the fields of a request to the columns of a note, as the rules of the workspace permit. */
@Injectable()
export class NoteValues {
  constructor(
    private readonly fields: NoteFieldValues,
    private readonly references: RowReferencesService,
    private readonly rules: NoteRulesService,
  ) {}

  /**
   * Finds the rows and users that the request names. The rows are locked until the transaction ends. Call this before
   * locking the note: a key rename takes its locks in the same order.
   *
   * @param isNew of a note that exists the rules are read, because only the insertion of one detects outdated rules.
   */
  async resolve(workspaceId: string, input: NoteInput, author: NoteAuthor, isNew = false): Promise<ResolvedInput> {
    const { rules, own } = await (isNew ? this.rules.recall(workspaceId) : this.rules.readCurrent(workspaceId));
    const { rows, rejectedRows } = await this.resolveRows(workspaceId, input);
    const isAnonymous = author.source === 'public';
    const values = await this.fields.resolve(workspaceId, rules, input, isAnonymous);
    return { rows, rejectedRows, rules, own, values, isAnonymous };
  }

  private async resolveRows(
    workspaceId: string,
    input: NoteInput,
  ): Promise<Pick<ResolvedInput, 'rows' | 'rejectedRows'>> {
    const rows: Partial<Note> = {};
    const rejectedRows: RejectedRow[] = [];
    for (const field of ['location', 'asset'] as const) {
      const [key, table] = [input[field], input[`${field}Key`]];
      try {
        Object.assign(rows, await this.references.resolve(workspaceId, { [field]: key, [`${field}Key`]: table }));
      } catch (error) {
        if (!(error instanceof UnknownRowError || error instanceof AmbiguousRowError)) throw error;
        const tables = table ? await this.references.findTables(workspaceId, table) : undefined;
        rejectedRows.push({ field, key, tableIds: tables?.map(({ id }) => id), error });
      }
    }
    return { rows, rejectedRows };
  }

  /** The rules that an instance remembers are outdated, or may be. */
  forgetRules(workspaceId: string): void {
    this.rules.forget(workspaceId);
  }

  /** The columns of a new note. */
  toNewColumns(input: NoteInput, resolved: ResolvedInput, parent: NoteParent): CheckedColumns {
    const { rows, values, rules } = resolved;
    const errors = values.rejected.map(({ error }) => error);
    const type = input.type ? findType(resolved, input.type, errors) : rules.types[0]!;
    const status = findStatusOf(rules, type, input.status ?? type?.defaultStatus ?? null, errors);
    const columns: Partial<Note> = {
      ...toPlainColumns(input),
      ...values.columns,
      ...rows,
      ...parent,
      type: type?.key,
      status: status?.key,
      customFields: mergeCustomFields({}, values, errors),
      closedAt: status?.category === 'done' ? new Date() : null,
    };
    if (type) errors.push(...findFieldErrors(rules, type, columns, values, resolved.rejectedRows));
    return { columns, errors: listErrors(errors, resolved.rejectedRows) };
  }

  /**
   * The columns that a request sets in a note. A row, type or status that the note has remains valid, although it was
   * removed.
   */
  toChangedColumns(
    note: Note,
    input: NoteInput,
    resolved: ResolvedInput,
    parent: NoteParent | undefined,
    author: NoteAuthor,
  ): CheckedColumns {
    const { rows, rules } = resolved;
    const values = acceptStored(resolved.values, note);
    const rejectedRows = resolved.rejectedRows.filter((rejected) => !isRowOf(note, rejected));
    const errors = values.rejected.map(({ error }) => error);
    const columns: Partial<Note> = { ...toPlainColumns(input), ...values.columns, ...rows, ...parent };
    if (values.customFields || Object.keys(values.changes).length > 0)
      columns.customFields = mergeCustomFields(note.customFields, values, errors);
    // A type that was removed has no rules.
    const former = rules.types.find(({ key }) => key === note.type);
    let type = former;
    if (input.type !== undefined && input.type !== note.type) {
      type = input.type === null ? rules.types[0]! : findType(resolved, input.type, errors);
      columns.type = type?.key;
    }
    const isOtherType = type !== undefined && type.key !== note.type;
    let to = note.status;
    if (input.status !== undefined && input.status !== note.status) {
      const status = findStatusOf(rules, type, input.status ?? type?.defaultStatus ?? null, errors);
      to = status?.key ?? to;
      // A change from one status of category `done` to another retains the time of the first.
      const closedAt = status?.category === 'done' ? (note.closedAt ?? new Date()) : null;
      Object.assign(columns, { status: to, closedAt });
    } else if (isOtherType) findStatusOf(rules, type, to, errors);
    if (type) {
      const changed = isOtherType ? undefined : columns;
      errors.push(...findFieldErrors(rules, type, { ...note, ...columns }, values, rejectedRows, note, changed));
    }
    // A status that was removed is in no transition: the note enters its type again.
    const isKnown = rules.statuses.some(({ key }) => key === note.status);
    const transitions: (DomainError | undefined)[] = [];
    if (former && to !== note.status)
      transitions.push(
        isKnown
          ? findTransitionError(former, note, to, author)
          : findEntryError(rules, { former: undefined, type: former, to }, note, author),
      );
    if (type && isOtherType) transitions.push(findEntryError(rules, { former, type, to }, note, author));
    const [transition] = transitions.filter((each) => each !== undefined);
    return { columns, errors: [...listErrors(errors, rejectedRows), ...(transition ? [transition] : [])] };
  }
}

/**
 * For a request that changes several notes: no note can have a value that is not valid.
 *
 * @throws {InvalidNoteError | UnknownRowError | AmbiguousRowError}
 */
export function requireValidValues({ values, rejectedRows }: ResolvedInput): void {
  const errors = values.rejected.map(({ error }) => error);
  requireNone(listErrors(errors, rejectedRows));
}

/** Is it the row that the note has? */
function isRowOf(note: Note, { field, key, tableIds }: RejectedRow): boolean {
  const [table, stored] = [note[`${field}TableId`], note[`${field}Key`]];
  return stored !== null && key === stored && (tableIds?.includes(table!) ?? true);
}

/** The columns that are stored as sent. */
function toPlainColumns(input: NoteInput): Partial<Note> {
  const columns: Partial<Note> = Object.fromEntries(
    Object.entries<unknown>(input).filter(([field, value]) => value !== undefined && !DERIVED_FROM.has(field)),
  );
  if (input.externalReferences === null) columns.externalReferences = [];
  return columns;
}

/** Adds an error if the note would have more than it may have. */
function mergeCustomFields(stored: CustomFields, { customFields, changes }: FieldValues, errors: NoteFieldError[]) {
  const merged: Record<string, string | null> = { ...(customFields ?? stored), ...changes };
  const values = Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== null);
  const { length } = values;
  if (length > MAX_CUSTOM_FIELDS && length > Object.keys(stored).length) {
    const message = `fields: the note would have ${length} custom fields; the limit is ${MAX_CUSTOM_FIELDS}.`;
    errors.push({ field: 'fields', code: 'invalid_field', message });
  }
  return Object.fromEntries(values);
}

/** Adds an error, and returns undefined, if the workspace does not have the type. */
function findType(
  { rules: { types }, isAnonymous }: ResolvedInput,
  name: string,
  errors: NoteFieldError[],
): NoteType | undefined {
  const type = findByKey(types, name);
  if (type) return type;
  const allowed = isAnonymous ? '' : ` Allowed: ${types.map(({ key }) => key).join(', ')}.`;
  const message = `"${name.slice(0, 63)}" is not a note type of the workspace.${allowed}`;
  errors.push({ field: 'type', code: 'unknown_type', message });
  return undefined;
}

/**
 * Adds an error, and returns undefined, if notes of the type do not have the status.
 *
 * @param type undefined: unknown.
 * @param name null is the status of a new note.
 */
function findStatusOf(
  rules: NoteRules,
  type: NoteType | undefined,
  name: string | null,
  errors: NoteFieldError[],
): NoteStatus | undefined {
  const permitted = listStatuses(rules, type);
  const status = name === null ? getInitialStatus(permitted) : findStatus(permitted, name);
  if (status) return status;
  const of = type?.statuses ? `notes of the type "${type.key}"` : 'the workspace';
  const allowed = permitted.map(({ key }) => key).join(', ');
  const message = `"${name!.slice(0, 100)}" is not a status of ${of}. Allowed: ${allowed}.`;
  errors.push({ field: 'status', code: 'unknown_status', message });
  return undefined;
}

/**
 * Does the note have the required fields, and none of other types? A note that lacks a field, because the rule is
 * newer, can be changed in other fields.
 *
 * @param note after the change.
 * @param stored before the change; undefined for a new note. Values of other types that it has can be sent again.
 * @param changed the columns that the request changes; undefined: all are checked.
 */
function findFieldErrors(
  { fields }: NoteRules,
  type: NoteType,
  note: Partial<Note>,
  values: FieldValues,
  rejectedRows: readonly RejectedRow[],
  stored?: Note,
  changed?: Partial<Note>,
): NoteFieldError[] {
  const errors: NoteFieldError[] = [];
  const sent = new Map(Object.entries({ ...values.columns, ...values.customFields, ...values.changes }));
  for (const field of fields) {
    const value = sent.get(field.key) ?? null;
    if (isOfType(field, type.key) || value === null || (stored && findStored(field, stored) === value)) continue;
    const message = `Notes of the type "${type.key}" do not have the field "${field.key}".`;
    errors.push({ field: field.key, code: 'not_of_type', message });
  }
  const required = new Set([
    ...fields.filter((field) => field.required && isOfType(field, type.key)).map(({ key }) => key),
    ...(type.required ?? []),
  ]);
  for (const { key } of values.rejected) required.delete(key);
  for (const { field } of rejectedRows) required.delete(field);
  for (const name of required) {
    const isCustom = fields.some(({ key }) => key === name) && !isBindable(name);
    const value = isCustom ? findStored({ key: name }, note as Note) : note[toColumn(name)];
    const isChecked = !changed || Object.hasOwn(changed, isCustom ? 'customFields' : toColumn(name));
    if (!isChecked || (value ?? null) !== null) continue;
    // Other custom fields may change while this one is missing already.
    if (changed && isCustom && !sent.has(name) && !values.customFields) continue;
    const message = `A note of the type "${type.key}" needs "${name}".`;
    errors.push({ field: name, code: 'required', message });
  }
  return errors;
}

function listErrors(errors: readonly NoteFieldError[], rejectedRows: readonly RejectedRow[]): DomainError[] {
  const rows = rejectedRows.map(({ error }) => error);
  return errors.length === 0 ? rows : [...rows, new InvalidNoteError(...errors)];
}

/** @throws {DomainError} the only error, or `InvalidNoteError` with all. */
export function requireNone(errors: readonly DomainError[]): void {
  const [only, ...others] = errors;
  if (only && others.length === 0) throw only;
  if (only)
    throw new InvalidNoteError(...errors.flatMap(({ details }) => details!.errors as readonly NoteFieldError[]));
}

/** The column that shows whether the note has a value of the field. */
function toColumn(name: string): keyof Note {
  return name === 'location' || name === 'asset' ? `${name}Key` : (name as keyof Note);
}
