import { Injectable } from '@nestjs/common';
import { TemporaryFiles } from '../../../platform/body/temporary-files.js';
import { Config } from '../../../platform/config/config.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { getPrimaryKey } from '../../../../packages/tables/src/catalog/physical-table.js';
import type { RowValues } from '../../../../packages/tables/src/catalog/row-sql.js';
import { isRestricted, type View } from '../../../../packages/tables/src/catalog/view.js';
import { type ProposedRow, ProposalsRepository } from '../history/proposals.repository.js';
import type { TableProposal } from '../history/table-proposal.entity.js';
import { ImportFile } from '../imports/import-file.js';
import { parseFormat } from '../imports/import-options.js';

/** Rows that are read at once. */
const PAGE_ROWS = 2_000;

/** The changes of a proposal in a table, as a merge takes them, in the order of its tables. */
export interface TableChanges {
  /** The rows to create and update: the new values only. */
  file: ImportFile;
  /** Keys of the rows to delete. */
  deletions: string[];
}

/** Reads the changes of proposals. */
@Injectable()
export class ProposalChanges {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly proposals: ProposalsRepository,
    private readonly files: TemporaryFiles,
    private readonly config: Config,
  ) {}

  /** Runs the work with the changes of each table in a temporary file. */
  async withFiles<T>(view: View, proposal: TableProposal, work: (changes: TableChanges[]) => Promise<T>): Promise<T> {
    // An undo is done again, without its changes.
    if (proposal.undoes !== null) return work([]);
    const quota = this.files.openUnlimited();
    const release = quota.retain();
    try {
      const tables = await this.findTables(view, proposal);
      const changes: TableChanges[] = [];
      for (const table of proposal.tables) {
        const deletions: string[] = [];
        const current = tables.get(table.id);
        const lines = current ? this.readLines(proposal, current, deletions) : [];
        const { path } = await quota.write(lines, () => undefined);
        const type = { mediaType: 'application/x-ndjson', isCompressed: false, format: DEFAULT_FORMAT } as const;
        // A row has the limit of its table; its line can be several times as long, by escaped characters.
        changes.push({ file: new ImportFile({ path }, type, this.config, Infinity), deletions });
      }
      return await work(changes);
    } finally {
      release();
    }
  }

  /** The changes in a table, in pages. */
  async *readPages(
    proposal: Pick<TableProposal, 'workspaceId' | 'id'>,
    tableId: string,
  ): AsyncGenerator<ProposedRow[]> {
    for (let after = ''; ;) {
      const { items, hasMore } = await this.proposals.listRows(proposal, tableId, after, PAGE_ROWS);
      if (items.length > 0) yield items;
      if (!hasMore) return;
      after = items.at(-1)!.key;
    }
  }

  /**
   * The keys of the columns that access policies leave to the caller, by table: none of a table that does not exist for
   * the caller any more. Empty if no policy restricts the caller.
   */
  async findVisibleColumns(view: View, proposal: TableProposal): Promise<Map<string, ReadonlySet<string>>> {
    if (!isRestricted(view)) return new Map();
    const tables = await this.findTables(view, proposal);
    const listKeys = (id: string) => (tables.get(id)?.columns ?? []).map(({ key }) => key);
    return new Map(proposal.tables.map(({ id }) => [id, new Set(listKeys(id))]));
  }

  private async findTables(view: View, { tables }: TableProposal): Promise<Map<string, CatalogTable>> {
    const found = await this.catalog.listByIds(
      view,
      tables.map(({ id }) => id),
    );
    return new Map(found.map((table) => [table.id, table]));
  }

  private async *readLines(proposal: TableProposal, table: CatalogTable, deletions: string[]): AsyncGenerator<Buffer> {
    const { key: primaryKey } = getPrimaryKey(table.columns);
    for await (const rows of this.readPages(proposal, table.id)) {
      let lines = '';
      for (const { key, before, after } of rows) {
        if (after) lines += `${JSON.stringify({ [primaryKey]: key, ...selectChanged(before ?? {}, after) })}\n`;
        else deletions.push(key);
      }
      if (lines !== '') yield Buffer.from(lines);
    }
  }
}

const DEFAULT_FORMAT = parseFormat({ onDuplicate: 'error', unknownColumns: 'error', trim: 'false' });

/** The values that a change sets. A new row has no others than null before. */
function selectChanged(before: RowValues, after: RowValues): RowValues {
  return Object.fromEntries(Object.entries(after).filter(([key, value]) => value !== (before[key] ?? null)));
}
