import { DEFAULT_STATUSES, findStatus, firstStatus, foldStatus, type NoteStatus } from './note-status.js';

describe('a status', () => {
  it.each([
    ['open', 'open'],
    ['In Progress', 'in_progress'],
    ['  in-progress ', 'in_progress'],
    ['IN_PROGRESS', 'in_progress'],
    ['in - review', 'in_review'],
  ])('%j is %s', (text, key) => expect(foldStatus(text)).toBe(key));

  it.each(['done', '', 'in progress now', 'öpen'])('%j is none of the permitted', (text) =>
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
  ])('of a new note is %s', (key, statuses) => expect(firstStatus(statuses).key).toBe(key));
});
