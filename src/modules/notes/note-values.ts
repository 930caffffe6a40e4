import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Upload } from '../../platform/body/upload.js';
import { InvalidRequestError } from '../../../packages/errors/src/domain-error.js';
import { includesRole } from '../../platform/security/roles.js';
import { RowReferences } from '../../records/row-references.js';
import type { ChangeNoteDto, SaveNoteDto } from './dto/save-note.dto.js';
import type { NoteAuthor } from './note-author.js';
import { type FieldValues, findStored, NoteFieldValues } from './note-field-values.js';
import type { NoteParent } from './note-parents.js';
import { type BindableField, isBindable, isOfType, listStatuses, type NoteRules, type NoteType } from './note-rules.js';
import { NoteRulesService, type OwnRules } from './note-rules.service.js';
import { findStatus, getInitialStatus, type NoteStatus } from './note-status.js';
import type { Note } from './note.entity.js';
import { InvalidNoteError, InvalidTransitionError, type NoteFieldError } from './notes.errors.js';
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
   * @throws {UnknownRowError | AmbiguousRowError | InvalidNoteError}
   */
  async resolve(workspaceId: string, input: NoteInput, author: NoteAuthor, isNew = false): Promise<ResolvedInput> {
    const { rules, own } = await (isNew ? this.rules.recall(workspaceId) : this.rules.readCurrent(workspaceId));
    const rows = await this.references.resolve(workspaceId, input);
    const values = await this.fields.resolve(workspaceId, rules, input, author.source === 'public');
    return { rows, rules, own, values };
  }

  /** The rules that an instance remembers are outdated, or may be. */
  forgetRules(workspaceId: string): void {
    this.rules.forget(workspaceId);
  }

  /** The columns of a new note. @throws {InvalidNoteError} */
  toNewColumns(input: NoteInput, { rows, values, rules }: ResolvedInput, parent: NoteParent): Partial<Note> {
    const type = input.type ? requireType(rules, input.type) : rules.types[0]!;
    const status = requireStatus(rules, type, input.status ?? type.defaultStatus ?? null);
    const columns: Partial<Note> = {
      ...toPlainColumns(input),
      ...values.columns,
      ...rows,
      ...parent,
      type: type.key,
      status: status.key,
      customFields: mergeCustomFields({}, values),
      closedAt: status.category === 'done' ? new Date() : null,
    };
    requireFields(rules, type, columns, values);
    return columns;
  }

  /**
   * The columns that a request sets in a note.
   *
   * @throws {InvalidNoteError | InvalidTransitionError}
   */
  toChangedColumns(
    note: Note,
    input: NoteInput,
    { rows, values, rules }: ResolvedInput,
    parent: NoteParent | undefined,
    author: NoteAuthor,
  ): Partial<Note> {
    const columns: Partial<Note> = { ...toPlainColumns(input), ...values.columns, ...rows, ...parent };
    if (values.customFields || Object.keys(values.changes).length > 0)
      columns.customFields = mergeCustomFields(note.customFields, values);
    // A type that was removed has no rules.
    let type = rules.types.find(({ key }) => key === note.type);
    if (input.type !== undefined) {
      type = input.type === null ? rules.types[0]! : requireType(rules, input.type);
      columns.type = type.key;
    }
    const isOtherType = columns.type !== undefined && columns.type !== note.type;
    if (input.status !== undefined) {
      const { key, category } = requireStatus(rules, type, input.status ?? type?.defaultStatus ?? null);
      if (type && key !== note.status && !isOtherType) requireTransition(type, note, key, author);
      // A change from one status of category `done` to another retains the time of the first.
      Object.assign(columns, { status: key, closedAt: category === 'done' ? (note.closedAt ?? new Date()) : null });
    } else if (isOtherType) requireStatus(rules, type, note.status);
    if (type) requireFields(rules, type, { ...note, ...columns }, values, isOtherType ? undefined : columns);
    return columns;
  }
}

/** The columns that are stored as sent. */
function toPlainColumns(input: NoteInput): Partial<Note> {
  return Object.fromEntries(
    Object.entries<unknown>(input).filter(([field, value]) => value !== undefined && !DERIVED_FROM.has(field)),
  );
}

function mergeCustomFields(stored: Record<string, string>, { customFields, changes }: FieldValues) {
  const merged: Record<string, string | null> = { ...(customFields ?? stored), ...changes };
  return Object.fromEntries(Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== null));
}

/** @throws {InvalidNoteError} */
function requireType({ types }: NoteRules, name: string): NoteType {
  const type = types.find(({ key }) => key.toLowerCase() === name.trim().toLowerCase());
  if (type) return type;
  const message = `"${name.slice(0, 63)}" is not a note type of the workspace. Allowed: ${types.map(({ key }) => key).join(', ')}.`;
  throw new InvalidNoteError({ field: 'type', code: 'unknown_type', message });
}

/** @param name null is the status of a new note. @throws {InvalidNoteError} */
function requireStatus(rules: NoteRules, type: NoteType | undefined, name: string | null): NoteStatus {
  const permitted = listStatuses(rules, type);
  const status = name === null ? getInitialStatus(permitted) : findStatus(permitted, name);
  if (status) return status;
  const of = type?.statuses ? `notes of the type "${type.key}"` : 'the workspace';
  const allowed = permitted.map(({ key }) => key).join(', ');
  const message = `"${name!.slice(0, 100)}" is not a status of ${of}. Allowed: ${allowed}.`;
  throw new InvalidNoteError({ field: 'status', code: 'unknown_status', message });
}

/** @throws {InvalidTransitionError} */
function requireTransition(
  { key, transitions }: NoteType,
  { status, workspaceId }: Note,
  to: string,
  { roles, source }: NoteAuthor,
): void {
  if (!transitions) return;
  const role = source === 'public' ? undefined : roles?.get(workspaceId);
  const from = transitions.filter((each) => each.from === status);
  const mayMake = (needed: (typeof from)[number]['role']) =>
    needed === undefined || (role !== undefined && includesRole(role, needed));
  if (from.some((each) => each.to === to && mayMake(each.role))) return;
  const permitted = from.filter((each) => mayMake(each.role)).map((each) => each.to);
  const needed = from.find((each) => each.to === to)?.role;
  const reason = needed ? ` without the role "${needed}"` : '';
  const listed = permitted.length > 0 ? permitted.join(', ') : 'none';
  const message = `A note of the type "${key}" cannot change from "${status}" to "${to}"${reason}. Permitted: ${listed}.`;
  throw new InvalidTransitionError(message);
}

/**
 * Checks that the note has the required fields, and none of other types. A note that lacks a field, because the rule is
 * newer, can be changed in other fields.
 *
 * @param changed the columns that the request changes; undefined: all are checked.
 * @throws {InvalidNoteError} with all errors.
 */
function requireFields(
  { fields }: NoteRules,
  type: NoteType,
  note: Partial<Note>,
  values: FieldValues,
  changed?: Partial<Note>,
): void {
  const errors: NoteFieldError[] = [];
  const sent = { ...values.columns, ...values.customFields, ...values.changes };
  for (const field of fields) {
    if (isOfType(field, type.key) || (sent[field.key as BindableField] ?? null) === null) continue;
    const message = `Notes of the type "${type.key}" do not have the field "${field.key}".`;
    errors.push({ field: field.key, code: 'not_of_type', message });
  }
  const required = new Set([
    ...fields.filter((field) => field.required && isOfType(field, type.key)).map(({ key }) => key),
    ...(type.required ?? []),
  ]);
  for (const name of required) {
    const isCustom = fields.some(({ key }) => key === name) && !isBindable(name);
    const value = isCustom ? findStored({ key: name }, note as Note) : note[toColumn(name)];
    const isChecked = !changed || Object.hasOwn(changed, isCustom ? 'customFields' : toColumn(name));
    if (!isChecked || (value ?? null) !== null) continue;
    // Other custom fields may change while this one is missing already.
    if (changed && isCustom && !Object.hasOwn(sent, name) && !values.customFields) continue;
    const message = `A note of the type "${type.key}" needs "${name}".`;
    errors.push({ field: name, code: 'required', message });
  }
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
