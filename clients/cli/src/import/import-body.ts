import type { FileOptions } from '@atrium/client';
import type { ReportedError } from '../failure.js';
import type { ImportPlan } from './import-plan.js';
import { findValueFormats } from './pass-through.js';

/** Rows that cannot be sent as objects, of which the problem is remembered. */
const MAX_PROBLEMS = 10_000;

/**
 * What is sent of a file: its bytes as they are, or its rows as NDJSON. Each row is sent in its line of the file, after
 * empty lines if necessary, so that errors of the service contain the line that people see. The service converts the
 * texts of both. Each attempt of the request reads the file from its begin.
 */
export function openBody({ source, toSentRow, fileOptions, mapping }: ImportPlan): {
  body: () => AsyncIterable<Uint8Array | string>;
  format: FileOptions;
  /** The problem of a row that was sent as a text, which the service only reports as no object. */
  explain: <Reported extends ReportedError>(error: Reported) => Reported;
} {
  if (fileOptions) return { body: () => source.raw(), format: fileOptions, explain: (error) => error };
  const problems = new Map<number, ReportedError>();
  const lines = async function* (): AsyncGenerator<string, void> {
    let sent = 1;
    for await (const block of source.blocks()) {
      let text = '';
      for (const row of block) {
        if (row.problem && problems.size < MAX_PROBLEMS) problems.set(row.line, row.problem);
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
    explain: (error) => ({ ...error, ...problems.get(error.line ?? 0) }),
  };
}
