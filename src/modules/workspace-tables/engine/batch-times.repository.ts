import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** The clock of PostgreSQL, by which rows are stamped. */
@Injectable()
export class BatchTimes {
  constructor(private readonly database: Database) {}

  /** In ISO 8601, with the precision of the stamps. */
  async now(): Promise<string> {
    const [row] = await this.database.query<{ now: Date }>('SELECT clock_timestamp()::timestamptz(3) AS now');
    return row!.now.toISOString();
  }
}
