import type { Scalar } from 'yaml';
import type { z } from 'zod';
import { findJsonError } from '../../../../packages/tabular/src/json-syntax.js';
import { UsageError } from '../exit-codes.js';
import type { Io } from '../io.js';
import { readBytes } from './read-file.js';

/**
 * Reads YAML or JSON and validates it.
 *
 * @param kind of the file, for messages
 * @throws {UsageError} with the path of each invalid value, or for a number whose text would not remain
 */
export async function readDocument<Schema extends z.ZodType>(
  schema: Schema,
  path: string,
  kind: string,
  io: Io,
): Promise<z.infer<Schema>> {
  const text = (await readBytes(path, io, `The ${kind} ${path}`)).toString('utf8');
  const { parseDocument, visit } = await import('yaml');
  const document = parseDocument(text);
  let value: unknown;
  try {
    if (document.errors.length > 0) throw document.errors[0]!;
    value = document.toJS();
  } catch {
    throw new UsageError(`${path} is not valid ${describe(path, text, document.errors[0]?.linePos?.[0])}`);
  }
  // In YAML, 0001 and 1E5 may be codes. JSON has quotes around texts.
  const Scalar = (_: unknown, { value: number, source, range }: Scalar): void => {
    if (typeof number !== 'number' || source === undefined || source === String(number)) return;
    const line = text.slice(0, range?.[0]).split('\n').length;
    const advice = `Write it in quotes if it is a text, otherwise as ${number}.`;
    throw new UsageError(`${path} line ${line}: ${source} is the number ${number}. ${advice}`);
  };
  if (!path.endsWith('.json')) visit(document, { Scalar });
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
