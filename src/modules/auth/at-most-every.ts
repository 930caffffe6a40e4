/** The work, done at most once in a while: whoever comes within `pauseMs` of its last start shares that run's outcome. */
export function atMostEvery<T>(pauseMs: number, work: () => Promise<T>): () => Promise<T> {
  let startedAt = -Infinity;
  let last: Promise<T>;
  return () => {
    const now = performance.now();
    if (now - startedAt >= pauseMs) {
      startedAt = now;
      last = work();
    }
    return last;
  };
}
