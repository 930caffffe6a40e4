/** What a contender, the service or a floor, did in one slice of time. */
export interface Slice {
  /** In the unit of the measurement. */
  figure: number;
  /** Microseconds of CPU time per request or row, of Node and of PostgreSQL. Absent if they are not measured. */
  nodeCpu?: number;
  databaseCpu?: number;
}

export type Work = () => Promise<Slice>;

/** What the service is compared with. The aim is that of the ratio of the service to it. */
export type Floor = { name: string; work: Work; aim?: number };

export interface Measurement {
  name: string;
  /** More is better if the unit is a rate, such as `rows/s`; less is better in all other units. */
  unit: string;
  service: Work;
  floors: readonly Floor[];
  /** Slices of each contender per run. The default is one. */
  slices?: number;
  /** The figure of a run is the percentile of its slices. The default is the median, 0.5. */
  share?: number;
}

/** Measurements that use, one after another, what is prepared before each run. */
export type Group = { prepare?: (run: number) => Promise<unknown>; measurements: readonly Measurement[] };

/** The slices of the service, then those of each floor, one per run. */
export type Results = Map<Measurement, Slice[][]>;

/** Executes one run more than there are. The first run warms up compilers and caches and does not count. */
export async function measure(groups: Group[], runs: number, note: (line: string) => void): Promise<Results> {
  const results: Results = new Map();
  for (let run = 0; run <= runs; run++) {
    for (const { prepare, measurements } of groups) {
      note(`run ${run} of ${runs}: ${measurements.map(({ name }) => name).join('; ')}`);
      await prepare?.(run);
      for (const measurement of measurements) {
        const slices = await measureOnce(measurement, run);
        const contenders = results.get(measurement) ?? slices.map(() => []);
        if (run > 0) contenders.forEach((contender, position) => contender.push(slices[position]!));
        results.set(measurement, contenders);
      }
    }
  }
  return results;
}

/** Measures slices of the contenders in turn, in reverse order every other time, so that none is always first. */
async function measureOnce({ service, floors, slices = 1, share }: Measurement, run: number): Promise<Slice[]> {
  const contenders = [service, ...floors.map(({ work }) => work)].map((work) => ({ work, measured: [] as Slice[] }));
  for (let slice = 0; slice < slices; slice++) {
    const order = (run + slice) % 2 === 0 ? contenders.toReversed() : contenders;
    for (const { work, measured } of order) measured.push(await work());
  }
  // CPU time is counted in steps of 10 ms, so that only a mean is precise.
  const meanOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return contenders.map(({ measured }) => ({
    figure: percentile(listValues(measured, 'figure'), share),
    nodeCpu: meanOf(listValues(measured, 'nodeCpu')),
    databaseCpu: meanOf(listValues(measured, 'databaseCpu')),
  }));
}

export function listValues(slices: readonly Slice[], name: keyof Slice): number[] {
  return slices.map((slice) => slice[name] ?? Number.NaN);
}

/** The value below which the share of the values is; of the median, the mean of the two in the middle. */
export function percentile(values: readonly number[], share = 0.5): number {
  const sorted = values.toSorted((a, b) => a - b);
  const position = Math.min(sorted.length - 1, Math.floor(sorted.length * share));
  if (share !== 0.5 || sorted.length % 2 === 1) return sorted[position] ?? Number.NaN;
  return (sorted[position]! + sorted[position - 1]!) / 2;
}

/** Work whose figure was found before: by the preparation, or by another measurement. */
export function reading(figure: () => number): Work {
  return () => Promise.resolve({ figure: figure() });
}

/** A floor that is a fixed number: the figure of the service is at most as high. */
export function limit(figure: number): Floor {
  return { name: 'limit', aim: 1, work: reading(() => figure) };
}

/** @throws Error if the benchmark did not write or read the expected rows: its figures would be meaningless */
export function requireRows(actual: number, expected: number): void {
  if (actual !== expected) throw new Error(`Expected ${expected} rows, but there are ${actual}.`);
}
