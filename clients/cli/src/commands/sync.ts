import { EXIT, type ExitCode, UsageError } from '../exit-codes.js';
import { type ImportCommandFlags, sync, syncConfigured } from './import.js';

export function syncCommand(
  file: string | undefined,
  table: string | undefined,
  flags: Omit<ImportCommandFlags, 'table'> & { config?: string },
): Promise<ExitCode> {
  if (flags.config !== undefined) return syncConfigured(flags.config, flags);
  if (file === undefined || table === undefined)
    throw new UsageError('Write `atrium sync FILE TABLE`, or `atrium sync --config FILE`.', EXIT.failure);
  return sync(file, table, flags);
}
