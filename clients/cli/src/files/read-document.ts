import type { z } from 'zod';
import { findJsonError } from '../../../../packages/tabular/src/json-syntax.js';
import { UsageError } from '../exit-codes.js';
import type { Io } from '../io.js';
import { readBytes } from './read-file.js';

/**
 * Reads YAML or JSON and validates it.
 *
 * @param kind of the file, for messages
 * @throws {UsageError} with the path of each invalid value
 */
export async function readDocument<Schema extends z.ZodType>(
  schema: Schema,
  path: string,
  kind: string,
  io: Io,
): Promise<z.infer<Schema>> {
  const text = (await readBytes(path, io, `The ${kind} ${path}`)).toString('utf8');
  const { parse, YAMLParseError } = await import('yaml');
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    const position = error instanceof YAMLParseError ? error.linePos?.[0] : undefined;
    throw new UsageError(`${path} is not valid ${describe(path, text, position)}`);
  }
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const issues = error.issues.map((issue) => `  ${issue.path.join('.') || 'file'}: ${issue.message}`);
  throw new UsageError(`${path} is not valid:\n${issues.join('\n')}`);
}

function describe(path: string, text: string, position?: { line: number; col: number }): string {
  const error = path.endsWith('.json') ? findJsonError(Buffer.from(text)) : undefined;
  if (error) return `JSON at line ${error.line}, column ${error.column}: ${error.problem}.`;
  const advice = 'Check indentation, quotes and colons.';
  if (!position) return `YAML. ${advice}`;
  const sent = (text.split('\n')[position.line - 1] ?? '').trim().slice(0, 80);
  return `YAML at line ${position.line}, column ${position.col}: ${sent === '' ? '' : `"${sent}". `}${advice}`;
}
