import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';

@Injectable()
export class JobQueuesRepository {
  constructor(private readonly database: Database) {}

  /** @returns the positions of the SELECT statements that have a row. */
  async findDue(selects: readonly string[]): Promise<number[]> {
    const branches = selects.map(
      (select, position) => `(SELECT ${position} AS position FROM (${select}) AS due LIMIT 1)`,
    );
    const found = await this.database.query<{ position: number }>(branches.join(' UNION ALL '));
    return found.map(({ position }) => position);
  }
}
