/**
 * Quotes a text for statements that accept no parameters, such as COPY. `escapeLiteral` of node-postgres takes a second
 * for a megabyte.
 */
export function quoteLiteral(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}

/** PostgreSQL's text format of an array. Quoted elements are never read as NULL. */
export function toArrayText(values: readonly (string | number | boolean)[]): string {
  const quoted = values.map((value) => `"${String(value).replace(/(["\\])/g, '\\$1')}"`);
  return `{${quoted.join(',')}}`;
}

/** A pattern of LIKE that matches texts containing this text literally. */
export function toLikePattern(text: string): string {
  return `%${toLikeLiteral(text)}%`;
}

/** A part of a pattern of LIKE that matches the text literally. */
export function toLikeLiteral(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/** The rows of `INSERT … VALUES`, and their values as parameters. @param first the number of the first parameter. */
export function toValues(rows: readonly (readonly unknown[])[], first = 1): { sql: string; parameters: unknown[] } {
  let number = first;
  const texts = rows.map((row) => `(${row.map(() => `$${number++}`).join(', ')})`);
  return { sql: texts.join(', '), parameters: rows.flat() };
}
