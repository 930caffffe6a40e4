/** The rows of `INSERT … VALUES`, and their values as parameters. @param first the number of the first parameter. */
export function toValues(rows: readonly (readonly unknown[])[], first = 1): { sql: string; parameters: unknown[] } {
  let number = first;
  const texts = rows.map((row) => `(${row.map(() => `$${number++}`).join(', ')})`);
  return { sql: texts.join(', '), parameters: rows.flat() };
}
