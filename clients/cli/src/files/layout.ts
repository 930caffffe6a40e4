import { z } from 'zod';
import type { Io } from '../io.js';
import { readDocument } from './read-document.js';

const LAYOUT = z.strictObject({
  encoding: z.string().optional(),
  /** Lines before the first row. */
  skipLines: z.int().min(0).default(0),
  fields: z.array(z.strictObject({ name: z.string().min(1), start: z.int().min(0), width: z.int().min(1) })).min(1),
});

/** Positions of the fields in the lines of a file with fixed widths. */
export type Layout = z.infer<typeof LAYOUT>;

/** @throws {UsageError} */
export function readLayout(path: string, io: Io): Promise<Layout> {
  return readDocument(LAYOUT, path, 'layout file', io);
}
