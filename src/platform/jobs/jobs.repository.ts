import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';

@Injectable()
export class JobsRepository {
  constructor(private readonly database: Database) {}

  /** @param selects with the column `workspace_id`. @returns the positions of those that have a row. */
  async findDue(selects: readonly string[]): Promise<number[]> {
    const isReachable = this.database.isOnReachableNode('workspace_id');
    const branches = selects.map(
      (select, position) => `(SELECT ${position} AS position FROM (${select}) AS due WHERE ${isReachable} LIMIT 1)`,
    );
    const found = await this.database.query<{ position: number }>(branches.join(' UNION ALL '));
    return found.map(({ position }) => position);
  }

  /** @returns the age of the time that each SELECT statement returns, in seconds; 0 if it returns null. */
  async readAges(selects: readonly string[]): Promise<number[]> {
    if (selects.length === 0) return [];
    const ages = selects.map(
      (select) => `GREATEST(0, COALESCE(extract(epoch FROM statement_timestamp() - (${select})), 0))::float8`,
    );
    const [row] = await this.database.query<{ ages: number[] }>(`SELECT ARRAY[${ages.join(', ')}] AS ages`);
    return row!.ages;
  }
}
