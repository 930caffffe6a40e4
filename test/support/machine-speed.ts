/** CPU time of `splitReference` on the machine for which the bounds of tests were chosen, while it is idle. */
const REFERENCE_MS = 60;
const REFERENCE_TEXT = 'Pumpe 12-ä,'.repeat(60_000);
const splitReference = () =>
  REFERENCE_TEXT.normalize('NFKD')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .sort();

/**
 * Milliseconds of CPU time of the fastest of several runs, up to the first within `enough`: other processes and the
 * collection of garbage slow some.
 */
export function measureCpu(call: () => unknown, enough = 0): number {
  let fastest = Infinity;
  for (let run = 0; run < 4 && fastest > enough; run++) {
    const before = process.cpuUsage();
    try {
      call();
    } catch {
      // Rejecting the text is right.
    }
    const { user, system } = process.cpuUsage(before);
    fastest = Math.min(fastest, (user + system) / 1_000);
  }
  return fastest;
}

/** How many times the CPU time of the reference machine this one needs now, at least 1: a busy one needs more. */
export const slowdown = () => Math.max(1, measureCpu(splitReference, REFERENCE_MS) / REFERENCE_MS);
