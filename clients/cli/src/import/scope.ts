import type { Scope } from '@atrium/client';
import { parseConditions } from '../conditions.js';
import type { LoadFlags } from './load-flags.js';

/** The part of the table that a file replaces. @throws {UsageError} if a filter is invalid */
export function toScope({ filter, under }: LoadFlags): Scope<Record<string, unknown>> {
  return { filter: filter && parseConditions(filter), under };
}
