export function findClusterViolations(
  statements: readonly string[],
  ownedTables: readonly string[],
): { problem: string; statement: string }[];
