/** Work on the note has not begun, is in progress, or is finished. */
export const STATUS_CATEGORIES = ['open', 'active', 'done'] as const;
export type StatusCategory = (typeof STATUS_CATEGORIES)[number];

export interface NoteStatus {
  key: string;
  category: StatusCategory;
}

/** The statuses of a workspace that has not configured its own. */
export const DEFAULT_STATUSES: readonly NoteStatus[] = [
  { key: 'open', category: 'open' },
  { key: 'in_progress', category: 'active' },
  { key: 'on_hold', category: 'active' },
  { key: 'in_review', category: 'active' },
  { key: 'resolved', category: 'done' },
  { key: 'closed', category: 'done' },
  { key: 'cancelled', category: 'done' },
];

/** Case, spaces and hyphens are ignored: `In Progress` becomes `in_progress`. */
export function normalizeStatus(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

export function findStatus(statuses: readonly NoteStatus[], text: string): NoteStatus | undefined {
  const key = normalizeStatus(text);
  return statuses.find((status) => status.key === key);
}

/** The status of a new note: `open` if it exists, else the first of category `open`, else the first. */
export function getInitialStatus(statuses: readonly NoteStatus[]): NoteStatus {
  return findStatus(statuses, 'open') ?? statuses.find(({ category }) => category === 'open') ?? statuses[0]!;
}
