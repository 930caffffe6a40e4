import { AtriumError, type BulkTableReport, ConnectionError } from '@atrium/client';
import { findCause } from '../exit-codes.js';
import type { Output } from '../output.js';
import type { ImportPlan } from './import-plan.js';

/** The table or the columns that an import has created with `--create`. They exist before its rows are stored. */
export class AddedColumns {
  private constructor(
    private readonly plan: ImportPlan,
    private readonly added: Pick<BulkTableReport, 'revision' | 'tableCreated' | 'columnsAdded'> | undefined,
    private readonly output: Output,
  ) {}

  static async create(plan: ImportPlan, output: Output, signal: AbortSignal): Promise<AddedColumns> {
    const { table, columns } = plan;
    return new AddedColumns(plan, columns.length > 0 ? await table.upsert([], { columns, signal }) : undefined, output);
  }

  /** For an import that has stored nothing. A table that others have written since remains as it is. */
  async drop(): Promise<void> {
    const { table } = this.plan;
    const { revision, tableCreated, columnsAdded } = this.added ?? NOTHING;
    try {
      if (tableCreated) await table.drop({ ifMatch: revision });
      else await this.dropColumns(columnsAdded, revision);
    } catch (error) {
      if (error instanceof AtriumError || error instanceof ConnectionError) return;
      throw error;
    }
    if (tableCreated) this.output.remark(`The table "${table.name}" was not created.`);
    else if (columnsAdded.length > 0) this.output.remark(`No columns were added to "${table.name}".`);
  }

  private async dropColumns(keys: string[], revision: number): Promise<void> {
    let ifMatch = revision;
    for (const key of keys) ({ revision: ifMatch } = await this.plan.table.dropColumn(key, { ifMatch }));
  }
}

const NOTHING = { revision: 0, tableCreated: false, columnsAdded: [] as string[] };

/** Whether an import that has failed with this error has ended: it may continue if its connection breaks. */
export function isFinal(error: unknown, signal: AbortSignal): boolean {
  if (signal.aborted || findCause(error) instanceof ConnectionError) return false;
  return !(error instanceof AtriumError) || error.status < 500;
}
