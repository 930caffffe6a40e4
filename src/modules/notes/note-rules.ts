import type { Role } from '../../platform/security/roles.js';
import { DEFAULT_STATUSES, type NoteStatus } from './note-status.js';

/** `row`: the key of a row of a table; `user`: the ID of a member of the workspace. */
export const NOTE_FIELD_TYPES = ['text', 'number', 'date', 'checkbox', 'choice', 'row', 'user'] as const;
export type NoteFieldType = (typeof NOTE_FIELD_TYPES)[number];

/** Fields that every note has as a column. They are texts until a workspace defines a field with such a key. */
export const BINDABLE_FIELDS = ['priority', 'category', 'workCenter', 'assignee', 'reporter'] as const;
export type BindableField = (typeof BINDABLE_FIELDS)[number];

/** A field that a workspace has defined for its notes. The values of all but the bindable ones are `customFields`. */
export interface NoteField {
  key: string;
  name: string;
  type: NoteFieldType;
  /** Of `row`: the ID of the table. */
  tableId?: string;
  /** Of `choice`. */
  choices?: string[];
  required?: boolean;
  /** The keys of the note types that have the field; absent: all. */
  types?: string[];
}

/** A permitted change of the status. */
export interface NoteTransition {
  from: string;
  to: string;
  /** The least role that may make it; absent: each that may write notes. */
  role?: Role;
}

/** A kind of notes, such as `inspection`, with its rules. */
export interface NoteType {
  key: string;
  name: string;
  /** Fields of which a note must have a value. */
  required?: string[];
  /** The status of a new note. Default: that of the workspace. */
  defaultStatus?: string;
  /** The statuses that notes of the type can have. Default: all of the workspace. */
  statuses?: string[];
  /** Default: every change of the status is permitted. */
  transitions?: NoteTransition[];
}

/** The type of the notes of a workspace that has not defined types. */
export const DEFAULT_TYPE: NoteType = { key: 'note', name: 'Note' };

/** What a workspace has configured for its notes; the defaults apply for what is absent. */
export interface NoteSettings {
  statuses?: NoteStatus[];
  fields?: NoteField[];
  types?: NoteType[];
}

/** The rules for the notes of a workspace. */
export interface NoteRules {
  statuses: readonly NoteStatus[];
  fields: readonly NoteField[];
  types: readonly NoteType[];
}

export function toRules({ statuses, fields, types }: NoteSettings): NoteRules {
  return { statuses: statuses ?? DEFAULT_STATUSES, fields: fields ?? [], types: types ?? [DEFAULT_TYPE] };
}

/** Does the workspace define the field for notes of this type? */
export function isOfType({ types }: NoteField, type: string): boolean {
  return types === undefined || types.includes(type);
}

export function isBindable(key: string): key is BindableField {
  return (BINDABLE_FIELDS as readonly string[]).includes(key);
}

/** The statuses that notes of the type can have. */
export function listStatuses({ statuses }: NoteRules, type: NoteType | undefined): readonly NoteStatus[] {
  const own = type?.statuses;
  return own ? statuses.filter(({ key }) => own.includes(key)) : statuses;
}
