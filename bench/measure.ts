import { performance } from 'node:perf_hooks';

/** The figures of several runs. The machine differs from minute to minute, so the extremes belong to the median. */
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

/** Run by run: what drifts between runs, drifts for both. */
export function ratios(values: readonly number[], floor: readonly number[]): number[] {
  return values.map((value, run) => value / floor[run]!);
}

/** Run by run, too. */
export function differences(values: readonly number[], floor: readonly number[]): number[] {
  return values.map((value, run) => value - floor[run]!);
}

/** The share of the values, 0 to 1, that lies below the result. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Seconds of wall-clock time that the work takes. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

/**
 * Carries out one round more than there are runs. The first warms up compilers and caches, and does not count.
 *
 * @returns for each name, its figures, one a run.
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

/** Measures one contender after the other, in every other round the other way about: nobody is always the first. */
export async function inTurn<Name extends string>(
  index: number,
  contenders: Record<Name, () => Promise<number>>,
): Promise<Record<Name, number>> {
  const order = Object.entries(contenders) as [Name, () => Promise<number>][];
  if (index % 2 === 0) order.reverse();
  const figures: Partial<Record<Name, number>> = {};
  for (const [name, contender] of order) figures[name] = await contender();
  return figures as Record<Name, number>;
}
