import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { refersToRow, type RowKeys } from '../../records/row-references.js';

/** Statements on tags that TypeORM cannot write: the sequence of their IDs, and pairs of columns. */
@Injectable()
export class TagsRepository {
  constructor(private readonly database: Database) {}

  async createIds(count: number): Promise<number[]> {
    const sql = `SELECT nextval('tag_ids')::integer AS id FROM generate_series(1, $1)`;
    return (await this.database.query<{ id: number }>(sql, [count])).map(({ id }) => id);
  }

  /** The IDs of the tags at any of the locations. */
  async listIdsAt(workspaceId: string, locations: readonly RowKeys[]): Promise<number[]> {
    const parameters = [workspaceId];
    const isThere = refersToRow('location', locations, (value) => `$${parameters.push(value)}`);
    const tags = await this.database.query<{ id: number }>(
      `SELECT id FROM tags WHERE workspace_id = $1 AND ${isThere}`,
      parameters,
    );
    return tags.map(({ id }) => id);
  }
}
