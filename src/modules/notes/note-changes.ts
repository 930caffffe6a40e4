import { isDeepStrictEqual } from 'node:util';
import { isBindable, type NoteRules } from './note-rules.js';
import type { Note } from './note.entity.js';
import type { NewNoteEvent } from './notes.repository.js';

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
