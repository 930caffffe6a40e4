const WIDTH = 2500;

/** Objects that are this deep are on one line: the parameters of an operation, the properties of a schema. */
const DEPTH = 4;

/**
 * Formats the committed document. Indentation would be a tenth of its size or more; one line per part of an operation
 * or schema leaves the changes of a commit readable.
 */
export function formatDocument(value: unknown, depth = 0): string {
  const line = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || depth === DEPTH || depth + line.length <= WIDTH) return line;
  const format = (prefix: string, item: unknown) => prefix + formatDocument(item, depth + 1);
  const [open, items, close] = Array.isArray(value)
    ? ['[', value.map((item) => format('', item)), ']']
    : ['{', listEntries(value).map(([key, item]) => format(`${JSON.stringify(key)}:`, item)), '}'];
  return `${open}\n${items.join(',\n')}\n${close}`;
}

/** JSON omits undefined values. */
function listEntries(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, item]) => item !== undefined);
}
