import { AtriumError, type BulkTableReport, ConnectionError, isLost } from '@atrium/client';
import { findCause } from '../exit-codes.js';
import type { Output } from '../output.js';
import type { ImportPlan } from './import-plan.js';

/**
 * Drops the table or the columns that an import has created with `--create`, if the import has stored nothing. A table
 * that others have written since remains as it is.
 */
export async function dropAdded(
  { table }: ImportPlan,
  { revision, tableCreated, columnsAdded }: BulkTableReport,
  output: Output,
): Promise<void> {
  try {
    let ifMatch = revision;
    if (tableCreated) await table.drop({ ifMatch });
    else for (const key of columnsAdded) ({ revision: ifMatch } = await table.dropColumn(key, { ifMatch }));
  } catch (error) {
    if (!(error instanceof AtriumError || error instanceof ConnectionError)) throw error;
    output.remark(`The ${tableCreated ? 'new table' : 'new columns of'} "${table.name}" could not be dropped.`);
    return;
  }
  if (tableCreated) output.remark(`The table "${table.name}" was not created.`);
  else if (columnsAdded.length > 0) output.remark(`No columns were added to "${table.name}".`);
}

/**
 * Whether an import that has failed with this error has ended: it may continue if its connection breaks, and a proxy
 * may have answered instead of the service.
 */
export function isFinal(error: unknown, signal: AbortSignal): boolean {
  return !signal.aborted && !isLost(findCause(error));
}
