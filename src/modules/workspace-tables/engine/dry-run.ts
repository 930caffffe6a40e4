/** Rolls a transaction back whose result is the report of a dry run. */
export class DryRun extends Error {
  constructor(readonly result: unknown) {
    super('A dry run is rolled back.');
  }
}

/** Runs the work, whose transaction rolls back when it throws a `DryRun`. @returns its result, or that of the dry run. */
export async function catchDryRun<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DryRun) return error.result as T;
    throw error;
  }
}
