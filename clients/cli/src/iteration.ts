/** All entries of a list, or the first ones. */
export async function toArray<Entry>(entries: AsyncIterable<Entry>, limit = Infinity): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const entry of entries) {
    found.push(entry);
    if (found.length >= limit) break;
  }
  return found;
}

/** Handles entries until there are no more, or until the signal is aborted by Ctrl-C, which is not a failure. */
export async function forEachUntilAborted<Entry>(
  entries: AsyncIterable<Entry>,
  signal: AbortSignal,
  handle: (entry: Entry) => void | Promise<void>,
): Promise<void> {
  try {
    for await (const entry of entries) await handle(entry);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
