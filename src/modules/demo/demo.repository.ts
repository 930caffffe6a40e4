import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';

/** An arbitrary number that no other advisory lock uses. */
const DEMO_LOCK = 7_205_114;

/** Serializes instances that start at the same time on one database. */
@Injectable()
export class DemoRepository {
  constructor(private readonly database: Database) {}

  /** Locks until the end of the open transaction. */
  async lock(): Promise<void> {
    await this.database.query('SELECT pg_advisory_xact_lock($1)', [DEMO_LOCK]);
  }
}
