export function findViolations(
  statements: readonly string[],
  ownedTables: readonly string[],
): { problem: string; statement: string }[];
