const WIDTH = 320;

/** Objects that are this deep are on one line: a parameter or response of an operation, a property of a schema. */
const DEPTH = 5;

/** Deeper lines are not indented further: the spaces would be 10 kB. */
const MAX_INDENT = 2;

/**
 * Formats the committed document. Indentation of every level would double its size; one line per parameter, response and
 * property leaves the changes of a commit readable.
 */
export function formatDocument(value: unknown, depth = 0): string {
  const line = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || depth === DEPTH || depth + line.length <= WIDTH) return line;
  const indent = indentOf(depth + 1);
  const format = (prefix: string, item: unknown) => indent + prefix + formatDocument(item, depth + 1);
  const [open, items, close] = Array.isArray(value)
    ? ['[', value.map((item) => format('', item)), ']']
    : ['{', entriesOf(value).map(([key, item]) => format(`${JSON.stringify(key)}:`, item)), '}'];
  return `${open}\n${items.join(',\n')}\n${indentOf(depth)}${close}`;
}

function indentOf(depth: number): string {
  return ' '.repeat(Math.min(depth, MAX_INDENT));
}

/** JSON omits undefined values. */
function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, item]) => item !== undefined);
}
