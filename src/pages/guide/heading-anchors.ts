/** Anchors of the headings of a page, by the rule of GitHub, so that links in files work there and in the guide. */
export class HeadingAnchors {
  private readonly used = new Map<string, number>();

  /** @param text the heading as plain text. A repeated heading receives a number. */
  next(text: string): string {
    const anchor = text
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    const times = this.used.get(anchor) ?? 0;
    this.used.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  }
}
