import type { Sql } from '../../../sql/src/sql.js';
import type { CatalogTable } from './catalog-table.js';
import { RowHistory } from './row-history.js';

/** What the history of a table contains at a moment. */
export interface HistoryState {
  /** The last revision with changed rows at the moment; 0 if there was none. */
  revision: number;
  /** The revision from which on the history is complete. */
  since: number;
  /** When that revision began; null if it is not known any more. */
  sinceAt: Date | null;
}

/** The revisions of tables at moments. */
export class MomentsRepository {
  constructor(
    private readonly sql: Sql,
    private readonly history: RowHistory,
  ) {}

  /**
   * The histories of tables of a workspace at a time, in their order. The history contains a former row until it ended
   * as many days ago as the table stores former rows, also if it is not removed yet.
   */
  async listStates(tables: readonly CatalogTable[], at: Date): Promise<HistoryState[]> {
    const find = (condition: string) => `
      (SELECT r.revision FROM table_revisions r WHERE r.workspace_id = $1 AND r.table_id = t.id AND ${condition}
        ORDER BY r.at DESC, r.revision DESC LIMIT 1)`;
    const oldest = `statement_timestamp() - ${this.history.selectInterval('t')}`;
    const states = await this.sql.query<HistoryState & { id: string }>(
      `SELECT h.*, (SELECT r.at FROM table_revisions r
                     WHERE r.workspace_id = $1 AND r.table_id = h.id AND r.revision = h.since) AS "sinceAt"
         FROM (SELECT t.id, coalesce(${find('r.at <= $3')}, 0)::float8 AS revision,
                      greatest(t.history_since, ${find(`r.at < ${oldest}`)})::float8 AS since
                 FROM workspace_tables t WHERE t.workspace_id = $1 AND t.id = ANY ($2::uuid[])) h`,
      [tables[0]!.workspaceId, tables.map(({ id }) => id), at],
    );
    const byId = new Map(states.map((state) => [state.id, state]));
    return tables.map(({ id }) => byId.get(id)!);
  }

  /** When a revision began; undefined before the first change of rows. */
  async findTime({ workspaceId, id }: CatalogTable, revision: number): Promise<Date | undefined> {
    const [found] = await this.sql.query<{ at: Date }>(
      `SELECT at FROM table_revisions WHERE workspace_id = $1 AND table_id = $2 AND revision <= $3
        ORDER BY revision DESC LIMIT 1`,
      [workspaceId, id, revision],
    );
    return found?.at;
  }
}
