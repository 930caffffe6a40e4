import { parseInstant, toPlusHint } from '../../../tabular/src/instant.js';
import { HistoryExpiredError, InvalidQueryError, UnknownRevisionError } from './query.errors.js';
import type { CatalogTable } from './catalog-table.js';
import { asOfRevision } from './physical-table.js';
import type { Moment, View } from './view.js';
import type { Sql } from '../../../sql/src/sql.js';
import { RowHistory } from './row-history.js';

/** A moment of a request: a revision of the table, or an instant in ISO 8601 with its time zone. */
export interface SentMoment {
  /** The field of the request. */
  field: string;
  text: string;
}

const REVISION = /^\d{1,15}$/;

/** What the history of a table contains at a moment. */
interface HistoryState {
  /** The last revision with changed rows at the moment; 0 if there was none. */
  revision: number;
  /** The revision from which on the history is complete. */
  since: number;
  /** When that revision began; null if it is not known any more. */
  sinceAt: Date | null;
}

/** Reads of tables as of a former moment, which is a part of their view: no read of a view mixes moments. */
export class ReadMoments {
  constructor(
    private readonly sql: Sql,
    private readonly history: RowHistory,
  ) {}

  /**
   * The view of the table as of a moment.
   *
   * @param table as it is now.
   * @throws {InvalidQueryError | UnknownRevisionError | HistoryExpiredError}
   */
  async toView(table: CatalogTable, sent: SentMoment): Promise<View> {
    return { ...table.view, moment: await this.resolve(table, sent) };
  }

  private async resolve(table: CatalogTable, { field, text }: SentMoment): Promise<Moment> {
    const at = REVISION.test(text) ? undefined : parsePast(field, text);
    const [state] = await this.listStates([table], at ?? new Date());
    const revision = at ? state!.revision : Number(text);
    if (revision > table.revision) throw new UnknownRevisionError(revision, table.revision, field);
    if (revision < state!.since) throw new HistoryExpiredError(field, table, state!);
    return { tableId: table.id, revision, at: at ?? (await this.findTime(table, revision)) ?? new Date(0) };
  }

  /** The revision after which the history of the table starts. */
  async getHistoryStart(table: CatalogTable): Promise<number> {
    const [state] = await this.listStates([table], new Date());
    return state!.since;
  }

  /**
   * The tables as they were at the moment of the view.
   *
   * @throws {HistoryExpiredError} if a table no longer has the former rows of that moment.
   */
  async apply({ moment }: View, tables: readonly CatalogTable[]): Promise<readonly CatalogTable[]> {
    if (!moment || tables.length === 0) return tables;
    const states = await this.listStates(tables, moment.at);
    return tables.map((table, position) => {
      const state = states[position]!;
      const revision = table.id === moment.tableId ? moment.revision : state.revision;
      if (revision < state.since) throw new HistoryExpiredError('asOf', table, state);
      return asOfRevision(table, revision);
    });
  }

  /**
   * The histories of tables of a workspace at a time, in their order. The history contains a former row until it ended
   * as many days ago as the table stores former rows, also if it is not removed yet.
   */
  private async listStates(tables: readonly CatalogTable[], at: Date): Promise<HistoryState[]> {
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
  private async findTime({ workspaceId, id }: CatalogTable, revision: number): Promise<Date | undefined> {
    const [found] = await this.sql.query<{ at: Date }>(
      `SELECT at FROM table_revisions WHERE workspace_id = $1 AND table_id = $2 AND revision <= $3
        ORDER BY revision DESC LIMIT 1`,
      [workspaceId, id, revision],
    );
    return found?.at;
  }
}

/** @throws {InvalidQueryError} */
function parsePast(field: string, text: string): Date {
  const instant = parseInstant(text);
  if (!instant) {
    const message = `"${field}" must be a revision such as 12, or a time with its zone such as 2026-03-01T08:00:00Z.${toPlusHint(text)}`;
    throw new InvalidQueryError(field, 'invalid_value', message);
  }
  if (instant.getTime() <= Date.now()) return instant;
  throw new InvalidQueryError(
    field,
    'invalid_value',
    `"${field}" is in the future. Send a time that is over, or omit it.`,
  );
}
