import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Upload } from '../../platform/body/upload.js';
import { InvalidRequestError } from '../../../packages/errors/src/domain-error.js';
import { RowReferences } from '../../records/row-references.js';
import { MAX_CUSTOM_FIELDS } from './dto/note-fields.dto.js';
import type { ChangeNoteDto, SaveNoteDto } from './dto/save-note.dto.js';
import type { NoteAuthor } from './note-author.js';
import { acceptStored, type FieldValues, findStored, NoteFieldValues } from './note-field-values.js';
import type { NoteParent } from './note-parents.js';
import { isBindable, isOfType, listStatuses, type NoteRules, type NoteType } from './note-rules.js';
import { NoteRulesService, type OwnRules } from './note-rules.service.js';
import { findStatus, getInitialStatus, type NoteStatus } from './note-status.js';
import type { Note } from './note.entity.js';
import { requireEntry, requireTransition } from './note-transitions.js';
import { InvalidNoteError, type NoteFieldError } from './notes.errors.js';
import type { NewNoteEvent } from './notes.repository.js';

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

/** Pairs of columns that are one field in events. */
const REFERENCES = {
  location: ['locationTableId', 'locationKey'],
  asset: ['assetTableId', 'assetKey'],
} as const;

/** Columns without an event of their own: they follow from other fields, or contain several. */
const WITHOUT_EVENT: readonly string[] = [
  ...['closedAt', 'tourId', 'customFields'],
  ...REFERENCES.location,
  ...REFERENCES.asset,
];

type CustomFields = Note['customFields'];

/** A new note without a field is a mistake: its body was lost on the way. @throws {InvalidRequestError} */
export function requireContent(input: NoteInput, uploads: readonly Upload[]): void {
  const values: unknown[] = Object.values(input);
  if (uploads.length > 0 || values.some((value) => value !== undefined && value !== null)) return;
  const message = 'The note has no field. Send at least one, such as title.';
  throw new InvalidRequestError([{ field: '', code: 'required', message }], message);
}

/** What a request stores, as far as it does not depend on the note. */
export interface ResolvedInput {
  /** Location and asset. */
  rows: Partial<Note>;
  values: FieldValues;
  rules: NoteRules;
  /** Messages to anonymous callers do not list types and fields. */
  isAnonymous: boolean;
  /** What the statement that inserts a note compares. */
  own: OwnRules;
}

/** Converts the fields of a request to the columns of a note, as the rules of the workspace permit. */
@Injectable()
export class NoteValues {
  constructor(
    private readonly fields: NoteFieldValues,
    private readonly references: RowReferences,
    private readonly rules: NoteRulesService,
  ) {}

  /**
   * Finds the rows and users that the request names. The rows are locked until the transaction ends. Call this before
   * locking the note: a key rename takes its locks in the same order.
   *
   * @param isNew of a note that exists the rules are read, because only the insertion of one detects outdated rules.
   * @throws {UnknownRowError | AmbiguousRowError}
   */
  async resolve(workspaceId: string, input: NoteInput, author: NoteAuthor, isNew = false): Promise<ResolvedInput> {
    const { rules, own } = await (isNew ? this.rules.recall(workspaceId) : this.rules.readCurrent(workspaceId));
    const rows = await this.references.resolve(workspaceId, input);
    const isAnonymous = author.source === 'public';
    const values = await this.fields.resolve(workspaceId, rules, input, isAnonymous);
    return { rows, rules, own, values, isAnonymous };
  }

  /** The rules that an instance remembers are outdated, or may be. */
  forgetRules(workspaceId: string): void {
    this.rules.forget(workspaceId);
  }

  /** The columns of a new note. @throws {InvalidNoteError} with all errors. */
  toNewColumns(input: NoteInput, resolved: ResolvedInput, parent: NoteParent): Partial<Note> {
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
    if (type) errors.push(...findFieldErrors(rules, type, columns, values));
    requireNone(errors);
    return columns;
  }

  /**
   * The columns that a request sets in a note.
   *
   * @throws {InvalidNoteError} with all errors.
   * @throws {InvalidTransitionError}
   */
  toChangedColumns(
    note: Note,
    input: NoteInput,
    resolved: ResolvedInput,
    parent: NoteParent | undefined,
    author: NoteAuthor,
  ): Partial<Note> {
    const { rows, rules } = resolved;
    const values = acceptStored(resolved.values, note);
    const errors = values.rejected.map(({ error }) => error);
    const columns: Partial<Note> = { ...toPlainColumns(input), ...values.columns, ...rows, ...parent };
    if (values.customFields || Object.keys(values.changes).length > 0)
      columns.customFields = mergeCustomFields(note.customFields, values, errors);
    // A type that was removed has no rules.
    const former = rules.types.find(({ key }) => key === note.type);
    let type = former;
    if (input.type !== undefined) {
      type = input.type === null ? rules.types[0]! : findType(resolved, input.type, errors);
      columns.type = type?.key;
    }
    const isOtherType = type !== undefined && type.key !== note.type;
    let to = note.status;
    if (input.status !== undefined) {
      const status = findStatusOf(rules, type, input.status ?? type?.defaultStatus ?? null, errors);
      to = status?.key ?? to;
      // A change from one status of category `done` to another retains the time of the first.
      const closedAt = status?.category === 'done' ? (note.closedAt ?? new Date()) : null;
      Object.assign(columns, { status: to, closedAt });
    } else if (isOtherType) findStatusOf(rules, type, to, errors);
    if (type) {
      const changed = isOtherType ? undefined : columns;
      errors.push(...findFieldErrors(rules, type, { ...note, ...columns }, values, note, changed));
    }
    requireNone(errors);
    if (former && to !== note.status) requireTransition(former, note, to, author);
    if (type && isOtherType) requireEntry(rules, { former, type, to }, note, author);
    return columns;
  }
}

/** For a request that changes several notes: no note can have a value that is not valid. @throws {InvalidNoteError} */
export function requireValidValues({ values }: ResolvedInput): void {
  requireNone(values.rejected.map(({ error }) => error));
}

/** The columns that are stored as sent. */
function toPlainColumns(input: NoteInput): Partial<Note> {
  return Object.fromEntries(
    Object.entries<unknown>(input).filter(([field, value]) => value !== undefined && !DERIVED_FROM.has(field)),
  );
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
  const type = types.find(({ key }) => key.toLowerCase() === name.trim().toLowerCase());
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

/** @throws {InvalidNoteError} */
function requireNone(errors: readonly NoteFieldError[]): void {
  if (errors.length > 0) throw new InvalidNoteError(...errors);
}

/** The column that shows whether the note has a value of the field. */
function toColumn(name: string): keyof Note {
  return name === 'location' || name === 'asset' ? `${name}Key` : (name as keyof Note);
}

/** One event per changed field. Custom fields that the workspace has not defined are one. */
export function toChangeEvents(note: Note, changed: Partial<Note>, rules: NoteRules): NewNoteEvent[] {
  const fields = Object.entries(changed)
    .filter(([column]) => !WITHOUT_EVENT.includes(column))
    .map(([column, to]) => toChangeEvent(column, toJson(note[column as keyof Note]), toJson(to)));
  if (changed.customFields) fields.push(...toCustomFieldEvents(note.customFields, changed.customFields, rules));
  const references = Object.entries(REFERENCES)
    .filter(([, columns]) => columns.some((column) => Object.hasOwn(changed, column)))
    .map(([field, [table, key]]) => {
      const after = { ...note, ...changed };
      return toChangeEvent(field, toReference(note[table], note[key]), toReference(after[table], after[key]));
    });
  return [...fields, ...references];
}

function toCustomFieldEvents(from: CustomFields, to: CustomFields, { fields }: NoteRules): NewNoteEvent[] {
  const defined = fields.map(({ key }) => key).filter((key) => !isBindable(key));
  const events = defined
    .filter((key) => from[key] !== to[key])
    .map((key) => toChangeEvent(`fields.${key}`, from[key] ?? null, to[key] ?? null));
  const [fromOthers, toOthers] = [from, to].map((values) =>
    Object.fromEntries(Object.entries(values).filter(([key]) => !defined.includes(key))),
  );
  return isDeepStrictEqual(fromOthers, toOthers)
    ? events
    : [...events, toChangeEvent('customFields', fromOthers, toOthers)];
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
