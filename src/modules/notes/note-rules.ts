import type { NoteFieldDefinitionDto, NoteTypeDto } from './dto/note-rules.dto.js';
import type { NoteStatus } from './note-status.js';

/** Fields that every note has as a column. They are texts until a workspace defines a field with such a key. */
export const BINDABLE_FIELDS = ['priority', 'category', 'workCenter', 'assignee', 'reporter'] as const;
export type BindableField = (typeof BINDABLE_FIELDS)[number];

/** A field that a workspace has defined for its notes. The values of all but the bindable ones are `customFields`. */
export interface NoteField extends Omit<NoteFieldDefinitionDto, 'table'> {
  /** Of `row`: the ID of the table. */
  tableId?: string;
}

/** A kind of notes, such as `inspection`, with its rules. */
export type NoteType = NoteTypeDto;

/** The type of the notes of a workspace that has not defined types. */
export const DEFAULT_TYPE: NoteType = { key: 'note', name: 'Note' };

/** The rules for the notes of a workspace. */
export interface NoteRules {
  statuses: readonly NoteStatus[];
  fields: readonly NoteField[];
  types: readonly NoteType[];
}

/** Does the workspace define the field for notes of this type? */
export function isOfType({ types }: NoteField, type: string): boolean {
  return types === undefined || types.includes(type);
}

export function isBindable(key: string): key is BindableField {
  return (BINDABLE_FIELDS as readonly string[]).includes(key);
}

/** The one with the key, in any letter case: no two keys differ only in letter case. */
export function findByKey<T extends { key: string }>(items: readonly T[], key: string): T | undefined {
  return items.find((each) => each.key.toLowerCase() === key.trim().toLowerCase());
}

/** The statuses that notes of the type can have. */
export function listStatuses({ statuses }: NoteRules, type: NoteType | undefined): readonly NoteStatus[] {
  const own = type?.statuses;
  return own ? statuses.filter(({ key }) => own.includes(key)) : statuses;
}
