/** What a status means to whoever counts: not begun, being worked on, over. */
export const STATUS_CATEGORIES = ['open', 'active', 'done'] as const;
export type StatusCategory = (typeof STATUS_CATEGORIES)[number];

export interface NoteStatus {
  key: string;
  category: StatusCategory;
}

/** The statuses of a workspace that has not changed them. */
export const DEFAULT_STATUSES: readonly NoteStatus[] = [
  { key: 'open', category: 'open' },
  { key: 'in_progress', category: 'active' },
  { key: 'on_hold', category: 'active' },
  { key: 'in_review', category: 'active' },
  { key: 'resolved', category: 'done' },
  { key: 'closed', category: 'done' },
  { key: 'cancelled', category: 'done' },
];

/** Case, spaces and hyphens make no difference: `In Progress` is `in_progress`. */
export function foldStatus(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

export function findStatus(statuses: readonly NoteStatus[], text: string): NoteStatus | undefined {
  const key = foldStatus(text);
  return statuses.find((status) => status.key === key);
}

/** The status of a note that names none: `open`, else the first that means it. */
export function firstStatus(statuses: readonly NoteStatus[]): NoteStatus {
  return findStatus(statuses, 'open') ?? statuses.find(({ category }) => category === 'open') ?? statuses[0]!;
}
