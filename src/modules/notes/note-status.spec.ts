import { DEFAULT_STATUSES, findStatus, getInitialStatus, normalizeStatus, type NoteStatus } from './note-status.js';

describe('note status', () => {
  it.each([
    ['open', 'open'],
    ['In Progress', 'in_progress'],
    ['  in-progress ', 'in_progress'],
    ['IN_PROGRESS', 'in_progress'],
    ['in - review', 'in_review'],
  ])('normalizes %j to %s', (text, key) => expect(normalizeStatus(text)).toBe(key));

  it.each(['done', '', 'in progress now', 'öpen'])('finds no default status for %j', (text) =>
    expect(findStatus(DEFAULT_STATUSES, text)).toBeUndefined(),
  );

  it.each<[string, NoteStatus[]]>([
    ['open', [...DEFAULT_STATUSES].reverse()],
    [
      'new',
      [
        { key: 'finished', category: 'done' },
        { key: 'new', category: 'open' },
      ],
    ],
    ['doing', [{ key: 'doing', category: 'active' }]],
  ])('chooses %s for a new note', (key, statuses) => expect(getInitialStatus(statuses).key).toBe(key));
});
