/**
 * The keys that stand on a cycle when every key has the parent that `parentOf` says. Linear: each key is walked once.
 */
export function keysOnCycles(parentOf: ReadonlyMap<string, string | null | undefined>): Set<string> {
  const onCycle = new Set<string>();
  const done = new Set<string>();
  for (const start of parentOf.keys()) {
    const path: string[] = [];
    const position = new Map<string, number>();
    let key: string | null | undefined = start;
    while (key != null && !done.has(key) && !position.has(key)) {
      position.set(key, path.length);
      path.push(key);
      key = parentOf.get(key);
    }
    // Back on the path of this very walk: from there on it goes round.
    if (key != null && position.has(key)) for (const member of path.slice(position.get(key))) onCycle.add(member);
    for (const walked of path) done.add(walked);
  }
  return onCycle;
}
