import type { FileOptions } from '@atrium/client';
import type { ImportPlan } from './import-plan.js';
import { findValueFormats } from './pass-through.js';

/**
 * What is sent of a file: its bytes as they are, or its rows as NDJSON. Each row is sent in its line of the file, after
 * empty lines if necessary, so that errors of the service contain the line that people see. The service converts the
 * texts of both. Each attempt of the request reads the file from its begin.
 */
export function openBody({ source, toSentRow, fileOptions, mapping }: ImportPlan): {
  body: () => AsyncIterable<Uint8Array | string>;
  format: FileOptions;
} {
  if (fileOptions) return { body: () => source.raw(), format: fileOptions };
  const lines = async function* (): AsyncGenerator<string, void> {
    let sent = 1;
    for await (const block of source.blocks()) {
      let text = '';
      for (const row of block) {
        const skipped = Math.max(0, row.line - sent);
        text += `${'\n'.repeat(skipped)}${JSON.stringify(toSentRow(row))}\n`;
        sent += skipped + 1;
      }
      if (text !== '') yield text;
    }
  };
  return { body: lines, format: { format: 'ndjson', ...findValueFormats(mapping) } };
}
