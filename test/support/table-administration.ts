import type { ApiResponse } from './api.js';
import { type ColumnInput, column, type Item, type Surface, Tables, text, unique } from './tables.js';
import { until } from './until.js';

export const COLUMNS = [text('Key'), text('Name'), column('Weight', 'number')];

/** A column in the description of a table. */
export interface ColumnAnswer {
  key: string;
  name: string;
  options: Record<string, unknown>;
  index: { state: string; message: string | null } | null;
}

/** Requests of an administrator who changes the tables of a workspace. */
export class TableAdministration extends Tables {
  static for({ api, workspaceId }: Tables): TableAdministration {
    return new TableAdministration(api, workspaceId);
  }

  pathOf(surface: Surface, table = ''): string {
    return `${this.path}/${surface}${table && `/${encodeURIComponent(table)}`}`;
  }

  get(surface: Surface, table: string): Promise<ApiResponse> {
    return this.api.get(this.pathOf(surface, table));
  }

  edit(surface: Surface, table: string, body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    const query = isRename(body) ? `?confirm=${encodeURIComponent(table)}` : '';
    return this.api.put(this.pathOf(surface, table) + query, body, headers);
  }

  /** Shows the values of the column as titles of the rows. */
  async setTitle(surface: Surface, table: string, title = 'name'): Promise<void> {
    const { status, body } = await this.edit(surface, table, { options: { title } });
    if (status !== 200) throw new Error(JSON.stringify(body));
  }

  drop(surface: Surface, table: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.api.delete(`${this.pathOf(surface, table)}?confirm=${encodeURIComponent(table)}`, headers);
  }

  dropColumn(surface: Surface, table: string, key: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.api.delete(`${this.pathOf(surface, table)}/columns/${key}?confirm=${key}`, headers);
  }

  /** Creates a table with these rows and returns its name. */
  async createTable(
    surface: Surface,
    columns: ColumnInput[],
    items: Item[] = [],
    name = unique('Table'),
  ): Promise<string> {
    const answer = await this.bulk(surface, { name, columns, items });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return name;
  }

  async columns(surface: Surface, table: string): Promise<Record<string, ColumnAnswer>> {
    const { columns } = (await this.get(surface, table)).body.data as { columns: ColumnAnswer[] };
    return Object.fromEntries(columns.map((each) => [each.key, each]));
  }

  async index(surface: Surface, table: string, key: string): Promise<ColumnAnswer['index']> {
    return (await this.columns(surface, table))[key]!.index;
  }

  /** Waits until the index of a column has the state. */
  async indexIs(surface: Surface, table: string, key: string, state: string): Promise<ColumnAnswer['index']> {
    return settled(
      () => this.index(surface, table, key),
      (index) => index?.state === state,
    );
  }

  /** The qualified name of the PostgreSQL table. */
  async physical(surface: Surface, table: string): Promise<string> {
    const { id } = (await this.get(surface, table)).body.data as { id: string };
    return `ws_${this.workspaceId.replaceAll('-', '')}.t_${id.replaceAll('-', '')}`;
  }
}

const isRename = (body: unknown) => typeof body === 'object' && body !== null && 'name' in body;

/** Polls until the condition is met, for at most 20 seconds. */
export const settled = <T>(poll: () => Promise<T>, isDone: (value: T) => boolean) => until(poll, isDone, 20_000);

/** The errors in the body of a rejected request. */
export function errorsOf({ body }: ApiResponse): Record<string, unknown>[] {
  return body.details.errors as Record<string, unknown>[];
}
