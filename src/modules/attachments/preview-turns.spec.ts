import type { DuePreview } from './attachments.repository.js';
import { PreviewTurns } from './preview-turns.js';

/** The authors in the order of their previews, of which each has as many. @param waiting by workspace and author */
function run(waiting: Record<string, number>, turns = new PreviewTurns(), count = Infinity): string[] {
  const left = new Map(Object.entries(waiting));
  const order: string[] = [];
  while (order.length < count) {
    const due: DuePreview[] = [...left].map(([name], position) => {
      const [workspaceId = '', author = null] = name.split('/');
      return { workspaceId, author, sha256: '', dueAt: new Date(position) };
    });
    const [next] = turns.sort(due);
    if (!next) break;
    turns.take(next);
    const name = next.author === null ? next.workspaceId : `${next.workspaceId}/${next.author}`;
    order.push(name);
    left.set(name, left.get(name)! - 1);
    if (left.get(name) === 0) left.delete(name);
  }
  return order;
}

describe('PreviewTurns', () => {
  it('lets workspaces take turns, and the authors of one', () => {
    expect(run({ 'a/1': 4, 'b/1': 2, 'a/2': 2 })).toEqual(['a/1', 'b/1', 'a/2', 'b/1', 'a/1', 'a/2', 'a/1', 'a/1']);
  });

  it('puts authors with credentials first, in all workspaces', () => {
    expect(run({ a: 3, b: 1, 'b/1': 2 })).toEqual(['b/1', 'b/1', 'a', 'b', 'a', 'a']);
  });

  it('makes each tenth preview for an anonymous author', () => {
    const order = run({ a: 5, 'b/1': 40 });
    expect(order.flatMap((name, position) => (name === 'a' ? position : []))).toEqual([9, 19, 29, 39, 44]);
  });

  it('lets a workspace that waited for nothing be first', () => {
    const turns = new PreviewTurns();
    run({ 'a/1': 5, 'b/1': 5 }, turns, 6);
    expect(run({ 'a/1': 2, 'b/1': 2, 'c/1': 2 }, turns, 2)).toEqual(['c/1', 'a/1']);
  });
});
