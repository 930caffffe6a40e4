import type { FileOptions } from '@atrium/client';
import type { ReportedError } from '../failure.js';
import type { ImportPlan } from './import-plan.js';
import { findValueFormats } from './pass-through.js';

/** Rows that cannot be sent as objects and whose problems are retained. */
const MAX_PROBLEMS = 10_000;

/**
 * The body that is sent for a file: its bytes as they are, or its rows as NDJSON. Each row has the line number that it
 * has in the file, after empty lines if necessary, so that the errors of the service contain this number. The service
 * converts the texts of either body. Each attempt of the request reads the file from its start.
 */
export function openBody({ source, findProblem, toSentRow, fileOptions, mapping }: ImportPlan): {
  body: () => AsyncIterable<Uint8Array | string>;
  format: FileOptions;
  /** Replaces the error of a row that could not be read: the service only reports that the row is not an object. */
  explainError: <Reported extends ReportedError>(error: Reported) => Reported;
} {
  if (fileOptions) return { body: () => source.raw(), format: fileOptions, explainError: (error) => error };
  const problems = new Map<number, ReportedError>();
  const lines = async function* (): AsyncGenerator<string, void> {
    let sent = 1;
    for await (const block of source.blocks()) {
      let text = '';
      for (const row of block) {
        const problem = findProblem(row);
        if (problem && problems.size < MAX_PROBLEMS) problems.set(row.line, problem);
        const skipped = Math.max(0, row.line - sent);
        text += `${'\n'.repeat(skipped)}${JSON.stringify(toSentRow(row))}\n`;
        sent += skipped + 1;
      }
      if (text !== '') yield text;
    }
  };
  return {
    body: lines,
    format: { format: 'ndjson', ...findValueFormats(mapping) },
    explainError: (error) => ({ ...error, ...problems.get(error.line ?? 0) }),
  };
}
