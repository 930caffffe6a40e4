/** The first entries of a list. */
export async function take<Entry>(entries: AsyncIterable<Entry>, limit: number): Promise<Entry[]> {
  const taken: Entry[] = [];
  for await (const entry of entries) {
    taken.push(entry);
    if (taken.length >= limit) break;
  }
  return taken;
}
