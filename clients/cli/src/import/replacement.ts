import type { Scope } from '@atrium/client';
import { parseConditions } from '../conditions.js';
import type { DuplicateRule } from './duplicates.js';

/** Flags of commands that make a table equal to a file. */
export interface ReplaceFlags {
  replace?: boolean;
  maxDeletions?: string;
  onDuplicate?: DuplicateRule;
  /** The part of the table that the file replaces. */
  filter?: string[];
  under?: string;
}

/** @throws {UsageError} if a filter is invalid */
export function toScope({ filter, under }: ReplaceFlags): Scope<Record<string, unknown>> {
  return { filter: filter && parseConditions(filter), under };
}
