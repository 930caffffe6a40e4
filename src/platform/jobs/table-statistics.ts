import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../database/database.js';
import { JobQueues } from './job-queues.js';
import { FixedTableStatisticsRepository } from './fixed-table-statistics.repository.js';

/**
 * How long after it was analyzed a table without rows is analyzed again, in milliseconds: the rows of a transaction
 * that was in progress were not counted. PostgreSQL ignores ANALYZE by a role that does not own the table.
 */
const REPEAT_MS = 20_000;

/**
 * Background job that analyzes a fixed table when it gets its first rows. PostgreSQL expects a table without statistics
 * to be almost empty, so any index that begins with `workspace_id` seems as good as the primary key. It retains such a
 * plan for foreign keys, and each new note would read all notes of its workspace, until autovacuum analyzes the table
 * after a minute or later (docs/explanation/performance.md#statistics-of-new-tables).
 */
@Injectable()
export class TableStatistics implements OnModuleInit {
  /** When this instance last analyzed a table. */
  private readonly analyzedAt = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly repository: FixedTableStatisticsRepository,
    private readonly queues: JobQueues,
  ) {}

  onModuleInit(): void {
    // The coordinator of a cluster has no rows of distributed tables.
    if (this.database.isDistributed) return;
    this.queues.register('Analyzing new tables', this.repository.missing, () => this.analyzeNext());
  }

  /** @returns undefined if each table has statistics. */
  private async analyzeNext(): Promise<0 | undefined> {
    const now = performance.now();
    const isDue = (name: string) => now - (this.analyzedAt.get(name) ?? -Infinity) >= REPEAT_MS;
    const table = (await this.repository.listMissing()).find(isDue);
    if (table === undefined) return undefined;
    this.analyzedAt.set(table, now);
    await this.repository.analyze(table);
    return 0;
  }
}
