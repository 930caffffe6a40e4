import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';

@Injectable()
export class AuditRepository {
  constructor(private readonly database: Database) {}

  /** Deletes up to `batch` events older than `days` days; instances that run at the same time skip each other's. @returns how many. */
  deleteOld(batch: number, days: number): Promise<number> {
    return this.database.affected(
      `DELETE FROM auth_events WHERE id IN (
         SELECT id FROM auth_events WHERE at < now() - make_interval(days => $1) LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [days, batch],
    );
  }
}
