import type { DuePreview } from './attachments.repository.js';

/** Each tenth preview may be that of an anonymous author, although others wait. */
const TURNS_PER_ANONYMOUS = 10;

/**
 * The order in which an instance makes previews: those of authors with credentials before those of anonymous ones.
 * Among them the workspace whose last turn was the longest time ago is first, and in it the author whose last turn was.
 */
export class PreviewTurns {
  private turn = 0;
  /** The last turn of each workspace, and of each author, since the queue was empty. */
  private readonly last = new Map<string, number>();

  /** @param due the longest waiting preview of each author */
  sort(due: readonly DuePreview[]): DuePreview[] {
    if (due.length === 0) this.last.clear();
    const anonymousFirst = this.turn % TURNS_PER_ANONYMOUS === TURNS_PER_ANONYMOUS - 1;
    const ranks = new Map(due.map((preview) => [preview, this.rank(preview, anonymousFirst)]));
    return [...due].sort((one, other) => compare(ranks.get(one)!, ranks.get(other)!));
  }

  /** The preview is made now. */
  take({ workspaceId, author }: DuePreview): void {
    this.turn++;
    this.last.set(workspaceId, this.turn).set(`${workspaceId} ${author}`, this.turn);
  }

  private rank({ workspaceId, author, dueAt }: DuePreview, anonymousFirst: boolean): number[] {
    const isFirst = (author === null) === anonymousFirst;
    const [ofWorkspace = 0, ofAuthor = 0] = [workspaceId, `${workspaceId} ${author}`].map((key) => this.last.get(key));
    return [isFirst ? 0 : 1, ofWorkspace, ofAuthor, dueAt.getTime()];
  }
}

function compare(one: readonly number[], other: readonly number[]): number {
  const differing = one.findIndex((value, position) => value !== other[position]);
  return differing < 0 ? 0 : one[differing]! - other[differing]!;
}
