import type { Io } from './io.js';

/** All entries of a list, or the first ones. */
export async function toArray<Entry>(entries: AsyncIterable<Entry>, limit = Infinity): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const entry of entries) {
    found.push(entry);
    if (found.length >= limit) break;
  }
  return found;
}

/** Prints entries until there are no more, until Ctrl-C, or until their reader ends: none is a failure. */
export async function forEachUntilAborted<Entry>(
  entries: AsyncIterable<Entry>,
  { io, signal }: { io: Io; signal: AbortSignal },
  handle: (entry: Entry) => void | Promise<void>,
): Promise<void> {
  io.endWithStdout();
  try {
    for await (const entry of entries) await handle(entry);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
