/** The keys on a cycle of parents. Linear: each key is visited once. */
export function findKeysOnCycles(parents: ReadonlyMap<string, string | null | undefined>): Set<string> {
  const onCycle = new Set<string>();
  const done = new Set<string>();
  for (const start of parents.keys()) {
    const path: string[] = [];
    const position = new Map<string, number>();
    let key: string | null | undefined = start;
    while (key != null && !done.has(key) && !position.has(key)) {
      position.set(key, path.length);
      path.push(key);
      key = parents.get(key);
    }
    // The walk reached its own path again: the cycle starts there.
    if (key != null && position.has(key)) for (const member of path.slice(position.get(key))) onCycle.add(member);
    for (const visited of path) done.add(visited);
  }
  return onCycle;
}
