import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { UsageError } from '../exit-codes.js';
import { type Io, toAbsolute } from '../io.js';

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
  const text = await readFile(toAbsolute(path, io), 'utf8').catch(() => {
    throw new UsageError(`The ${kind} ${path} does not exist or cannot be read.`);
  });
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new UsageError(`${path} is not valid YAML or JSON: ${(error as Error).message}`);
  }
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const issues = error.issues.map((issue) => `  ${issue.path.join('.') || 'file'}: ${issue.message}`);
  throw new UsageError(`${path} is not valid:\n${issues.join('\n')}`);
}
