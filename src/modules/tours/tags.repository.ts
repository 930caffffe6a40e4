import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';

/** Reads the sequence of the tag IDs, which TypeORM cannot. */
@Injectable()
export class TagsRepository {
  constructor(private readonly database: Database) {}

  async createIds(count: number): Promise<number[]> {
    const sql = `SELECT nextval('tag_ids')::integer AS id FROM generate_series(1, $1)`;
    return (await this.database.query<{ id: number }>(sql, [count])).map(({ id }) => id);
  }
}
