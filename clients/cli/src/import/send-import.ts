import { AtriumError, type ImportReport, NotFoundError } from '@atrium/client';
import type { Context } from '../context.js';

type Service = Pick<Context, 'client' | 'output' | 'signal'>;

/** Uploads of a file whose former one the service has received, but not stored. */
const MAX_UPLOADS = 3;
/** An earlier upload was received, and may be stored yet. */
const RECEIVED: readonly string[] = ['idempotency_key_in_flight', 'import_id_taken'];

/**
 * Sends the file of an import until the service has finished it.
 *
 * @param upload sends the file. The client repeats it after a lost connection or a temporary rejection
 */
export async function sendImport(
  importId: string,
  service: Service,
  upload: () => Promise<ImportReport>,
): Promise<ImportReport> {
  for (let uploads = 1; ; uploads++)
    try {
      return await upload();
    } catch (error) {
      const isReceived = error instanceof AtriumError && RECEIVED.includes(error.code);
      const report = isReceived ? await adoptImport(importId, service) : undefined;
      if (report) return report;
      if (!isReceived || uploads === MAX_UPLOADS) throw error;
    }
}

/** @returns the report of an import that this or an earlier process has sent; undefined if nothing is stored */
export async function adoptImport(
  importId: string,
  { client, output, signal }: Service,
): Promise<ImportReport | undefined> {
  try {
    const record = await client.imports.wait(importId, { signal });
    if (record.status !== 'succeeded' && record.status !== 'proposed') return undefined;
    output.remark(`The service has finished the import ${importId}; the file is not sent again.`);
    return record.report ?? undefined;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
