import { findJsonError, toPath } from '../../../packages/tabular/src/json-syntax.js';

/** Why a line cannot be parsed as JSON, such as `is not valid JSON at column 9: found "}", expected ":"`. */
export function describeJsonError(line: string): string {
  let duplicate: string | undefined;
  const error = findJsonError(Buffer.from(line), (open) => (duplicate ??= toPath(open)));
  if (error) return `is not valid JSON at column ${error.column}: ${error.problem}`;
  return duplicate === undefined ? 'nests too many levels' : `has the key "${duplicate}" twice`;
}
