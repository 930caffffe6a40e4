import { stringify } from 'yaml';
import type { GlobalFlags } from '../global-flags.js';
import { openSource, type SourceFlags } from '../import/import-plan.js';
import { surveyColumns } from '../import/survey.js';
import { inferColumn } from '../mapping/infer-columns.js';
import { inferDialect } from '../mapping/infer-dialect.js';

export type InitFlags = GlobalFlags & SourceFlags;

/** Prints a mapping for a file: its columns with inferred types, to be edited. */
export async function initMapping(file: string, flags: InitFlags): Promise<void> {
  const source = await openSource(file, flags);
  try {
    const surveyed = await surveyColumns(source, () => undefined);
    const dialect = inferDialect(surveyed, flags, source.isCommaSeparated);
    const { decimal, thousands, dateFormats } = dialect;
    const columns = surveyed.map((column, position) => {
      const inferred = inferColumn(column, dialect);
      if (position === 0) Object.assign(inferred, { type: 'text', primaryKey: true });
      const format = inferred.type === 'date' && dateFormats.length === 1 ? { format: dateFormats[0] } : {};
      return { ...inferred, ...format };
    });
    const mapping = { decimal, ...(thousands && { thousands }), nullValues: ['00.00.0000', '00000000'], columns };
    process.stdout.write(flags.json ? `${JSON.stringify(mapping, null, 2)}\n` : stringify(mapping));
  } finally {
    await source.close();
  }
}
