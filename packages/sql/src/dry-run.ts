/** Rolls a transaction back whose result is the report of a dry run. */
export class DryRun extends Error {
  constructor(readonly result: unknown) {
    super('A dry run is rolled back.');
  }
}

/** Runs work whose transaction rolls back when the work throws a `DryRun`. @returns the result of either. */
export async function catchDryRun<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DryRun) return error.result as T;
    throw error;
  }
}
