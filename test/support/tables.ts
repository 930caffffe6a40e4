import { randomBytes } from 'node:crypto';
import { Api, type ApiResponse } from './api.js';
import type { Credentials } from './credentials.js';
import type { RunningService } from './service.js';

export type Surface = 'locations' | 'assets' | 'lists';

export interface ColumnInput {
  key?: string;
  name: string;
  type: string;
  primaryKey?: boolean;
  required?: boolean;
  description?: string;
  options?: Record<string, unknown>;
}

export interface TableInput {
  type?: string;
  name: string;
  columns?: ColumnInput[];
  items: unknown[];
}

export type Item = Record<string, string | number | boolean | null>;

type Query = Record<string, string | number>;

/** Requests to the tables of one workspace, with an API key. */
export class Tables {
  constructor(
    readonly api: Api,
    readonly workspaceId: string,
  ) {}

  static of(service: RunningService, { apiKey, workspaceId }: Credentials): Tables {
    return new Tables(new Api(service.baseUrl).withKey(apiKey), workspaceId);
  }

  get path(): string {
    return `/v2/api/workspaces/${this.workspaceId}/cw`;
  }

  /** Sends tables to the bulk endpoint of their entity. */
  bulk(surface: Surface, tables: TableInput | TableInput[], query: Query = {}): Promise<ApiResponse> {
    return this.send(surface, { [surface]: [tables].flat() }, query);
  }

  /** Sends tables, each with its type, to the bulk endpoint of all entities. */
  bulkAll(tables: TableInput[], query: Query = {}): Promise<ApiResponse> {
    return this.api.post(`${this.path}/bulk${search(query)}`, { tables });
  }

  /** Sends a body to the bulk endpoint; a string or bytes are sent unchanged. */
  send(surface: Surface, body: unknown, query: Query = {}, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.api.post(`${this.path}/${surface}/bulk${search(query)}`, body, headers);
  }

  /** Reads one page. */
  read(surface: Surface, table: string, query: Query = {}): Promise<ApiResponse> {
    return this.api.get(`${this.path}/${surface}/${encodeURIComponent(table)}/items${search(query)}`);
  }

  /** Reads all rows, page by page. */
  async rows(surface: Surface, table: string, query: Query = {}): Promise<Item[]> {
    const rows: Item[] = [];
    let cursor: string | null = null;
    do {
      const page: ApiResponse = await this.read(surface, table, {
        limit: 5000,
        ...query,
        ...(cursor ? { cursor } : {}),
      });
      if (page.status !== 200) throw new Error(`Reading answered ${page.status}: ${JSON.stringify(page.body)}`);
      rows.push(...(page.body.data.items as Item[]));
      cursor = page.body.data.nextCursor as string | null;
    } while (cursor);
    return rows;
  }

  async revision(surface: Surface, table: string): Promise<number> {
    return (await this.read(surface, table, { limit: 1 })).body.data.table.revision as number;
  }
}

function search(query: Query): string {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return parameters.size > 0 ? `?${parameters.toString()}` : '';
}

/** A name that no other test uses. */
export function unique(name: string): string {
  return `${name} ${randomBytes(4).toString('hex')}`;
}

export const text = (name: string, more: Partial<ColumnInput> = {}): ColumnInput => ({ name, type: 'text', ...more });
export const column = (name: string, type: string, more: Partial<ColumnInput> = {}): ColumnInput => ({
  name,
  type,
  ...more,
});

/** `count` rows, created from their positions. */
export function manyRows<T>(count: number, row: (position: number) => T): T[] {
  return Array.from({ length: count }, (_, position) => row(position));
}

/** A key of fixed width, so that keys sort by position. */
export const keyAt = (position: number): string => `K${String(position).padStart(6, '0')}`;
