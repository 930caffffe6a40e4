import { performance } from 'node:perf_hooks';

/** The figures of several runs. The speed of the machine changes, so the extremes are reported with the median. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}

/** Ratios run by run: a drift between runs affects both values. */
export function ratios(values: readonly number[], floor: readonly number[]): number[] {
  return values.map((value, run) => value / floor[run]!);
}

/** The value below which the share (0 to 1) of the values is. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Measures the wall-clock time of the work in seconds. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

/**
 * Executes one round more than there are runs. The first round warms up compilers and caches and does not count.
 *
 * @returns the figures of each name, one per run.
 */
export async function measure<Name extends string>(
  runs: number,
  round: (index: number) => Promise<Record<Name, number>>,
): Promise<Record<Name, number[]>> {
  await round(0);
  const figures: Partial<Record<Name, number[]>> = {};
  for (let index = 1; index <= runs; index++) {
    for (const [name, figure] of Object.entries(await round(index)) as [Name, number][])
      (figures[name] ??= []).push(figure);
  }
  return figures as Record<Name, number[]>;
}

/**
 * Measures one contender after another, in reverse order in every other round, so that no contender is always first.
 */
export async function inTurn<Name extends string, Result = number>(
  index: number,
  contenders: Record<Name, () => Promise<Result>>,
): Promise<Record<Name, Result>> {
  const order = Object.entries(contenders) as [Name, () => Promise<Result>][];
  if (index % 2 === 0) order.reverse();
  const results: Partial<Record<Name, Result>> = {};
  for (const [name, contender] of order) results[name] = await contender();
  return results as Record<Name, Result>;
}

/** @throws Error if the benchmark did not write the expected number of rows: its figures would be meaningless. */
export function requireRows(written: number, expected: number): void {
  if (written !== expected) throw new Error(`Expected ${expected} written rows, but there are ${written}.`);
}
