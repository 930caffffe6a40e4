import type { Note } from './note.entity.js';
import type { Happening } from './notes.repository.js';

/** Columns that are one field to callers. */
const LINKS = {
  location: ['locationTableId', 'locationKey'],
  asset: ['assetTableId', 'assetKey'],
} as const;

/** What follows from another field, and is not told by itself. */
const DERIVED: readonly string[] = ['closedAt', 'tourId', ...LINKS.location, ...LINKS.asset];

/** What the changed values mean, field by field. */
export function happeningsOf(note: Note, changed: Partial<Note>): Happening[] {
  const fields = Object.entries(changed)
    .filter(([name]) => !DERIVED.includes(name))
    .map(([field, to]) => ({ kind: 'changed' as const, field, from: plain(note[field as keyof Note]), to: plain(to) }));
  const links = Object.entries(LINKS).flatMap(([field, [table, key]]) =>
    table in changed || key in changed
      ? [
          {
            kind: 'changed' as const,
            field,
            from: link(note[table], note[key]),
            to: link({ ...note, ...changed }[table], { ...note, ...changed }[key]),
          },
        ]
      : [],
  );
  return [...fields, ...links];
}

function link(tableId: string | null, key: string | null) {
  return tableId === null ? null : { tableId, key };
}

function plain(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}
