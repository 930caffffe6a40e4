import { readFileSync } from 'node:fs';

/**
 * Suites that take long by design, so that they are slow tests, with their seconds on two idle cores and the reason
 * (docs/how-to/testing.md).
 */
export const SLOW_SUITES = JSON.parse(readFileSync(new URL('slow-suites.json', import.meta.url), 'utf8'));
