import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { CleanupJobs } from '../../platform/jobs/cleanup-jobs.js';

/** Deletes events that are older than the configured retention. */
@Injectable()
export class AuditRepository implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly cleanup: CleanupJobs,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    const { retentionDays } = this.config.audit;
    this.cleanup.register('old audit events', (batch) => this.deleteOld(batch, retentionDays));
  }

  /** Deletes up to `batch` events older than `days` days; instances that run at the same time skip each other's. @returns how many. */
  private deleteOld(batch: number, days: number): Promise<number> {
    return this.database.affected(
      `DELETE FROM auth_events WHERE id IN (
         SELECT id FROM auth_events WHERE at < now() - make_interval(days => $1) LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [days, batch],
    );
  }
}
