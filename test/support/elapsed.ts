const INTERVAL_MS = 5;

/**
 * Measures how long others take. On a busy machine this process waits for a core, too, and its timers are late: that
 * time does not count.
 *
 * @returns a function that ends the measurement, and returns its milliseconds.
 */
export function measureElapsed(): () => number {
  const startedAt = performance.now();
  let before = startedAt;
  let lateMs = 0;
  const count = (): number => {
    const now = performance.now();
    lateMs += Math.max(0, now - before - INTERVAL_MS);
    before = now;
    return now - startedAt - lateMs;
  };
  const timer = setInterval(count, INTERVAL_MS);
  return () => {
    clearInterval(timer);
    return count();
  };
}
