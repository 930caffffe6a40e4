/** Fails if there are any, lists each on a line, and states what to write instead. */
export function expectNone(offenders: readonly string[], remedy: string): void {
  if (offenders.length > 0) throw new Error(`${offenders.map((each) => `  ${each}`).join('\n')}\n\n${remedy}`);
}

/**
 * Runs a check with `expect` for each entry. Fails once and lists every entry that failed, with the first failed
 * expectation of each.
 */
export function expectForEach<T>(entries: readonly T[], nameOf: (entry: T) => string, check: (entry: T) => void): void {
  const failures = entries.flatMap((entry) => {
    try {
      check(entry);
      return [];
    } catch (error) {
      return [`${nameOf(entry)}: ${(error as Error).message}`];
    }
  });
  // A rule that applies to nothing cannot fail.
  expect(entries.length).toBeGreaterThan(0);
  if (failures.length > 0)
    throw new Error(`${failures.length} of ${entries.length} fail the check:\n\n${failures.join('\n\n')}`);
}
