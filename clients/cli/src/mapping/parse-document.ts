import type { z } from 'zod';
import { UsageError } from '../exit-codes.js';

/** Parses YAML or JSON and validates it. @throws {UsageError} with the path of each invalid value */
export async function parseDocument<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  path: string,
): Promise<z.infer<Schema>> {
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
