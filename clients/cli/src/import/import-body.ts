import type { FileOptions, ImportSource } from '@atrium/client';
import type { ImportPlan } from './import-plan.js';

/**
 * What is sent of a file: its bytes as they are, or its converted rows as NDJSON. Each converted row is sent in its line of the file,
 * after empty lines if necessary, so that errors of the service contain the line that people see.
 */
export function openBody(
  { source, convert, fileOptions }: ImportPlan,
  isConverted: boolean,
): { body: ImportSource; format: FileOptions } {
  if (!isConverted && fileOptions) return { body: source.raw(), format: fileOptions };
  const lines = async function* (): AsyncGenerator<string, void> {
    let sent = 1;
    for await (const row of source.rows()) {
      const skipped = Math.max(0, row.line - sent);
      yield `${'\n'.repeat(skipped)}${JSON.stringify(convert(row))}\n`;
      sent += skipped + 1;
    }
  };
  return { body: lines(), format: { format: 'ndjson' } };
}
