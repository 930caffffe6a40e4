import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import config from './jest.config.mjs';
import { GUARANTEES } from './test/support/guarantees-reporter.mjs';

// The workers inherit them. CI runs the same suites with their defaults.
process.env.FAULT_ROUNDS ??= '20';
process.env.EVENT_KILLS ??= '20';
process.env.MEASUREMENTS_FILE ??= join(mkdtempSync(join(tmpdir(), 'atrium-faults-')), 'measurements.jsonl');

/** The suites that demonstrate the guarantees of the service under faults (docs/explanation/reliability.md). */
export default {
  ...config,
  testMatch: [...new Set(GUARANTEES.flatMap(({ suites }) => suites))].map((suite) => `<rootDir>/${suite}`),
  reporters: [...config.reporters, '<rootDir>/test/support/guarantees-reporter.mjs'],
};
