import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { MetricsRegistry } from '../../../platform/health/metrics-registry.js';
import {
  type HistorySize,
  PhysicalTablesRepository,
} from '../../../../packages/tables/src/catalog/physical-tables.repository.js';
import { ColumnIndexesRepository } from './column-indexes.repository.js';
import { DescribeTablesRepository } from './describe-tables.repository.js';

/** The sizes of all tables are measured again when a scrape finds them this old. */
const MAX_AGE_MS = 5 * 60_000;

/**
 * Metrics of the indexes that could not be built, and of the disk space of former rows, which do not depend on the
 * number of tables (ADR 0186).
 */
@Injectable()
export class TableMetrics {
  private measured: { size: HistorySize; at: number } | undefined;
  /** A measurement that has not ended: scrapes wait for it, and start no other one. */
  private measuring: Promise<HistorySize> | undefined;

  constructor(
    registry: MetricsRegistry,
    indexes: ColumnIndexesRepository,
    private readonly physical: PhysicalTablesRepository,
    private readonly tables: DescribeTablesRepository,
  ) {
    const register = (name: string, help: string, read: () => Promise<number>) => {
      const gauge = new Gauge({
        name,
        help,
        registers: [registry],
        collect: async () => {
          const value = await registry.readInTime(read);
          if (value !== undefined) gauge.set(value);
        },
      });
      // Absent until it is read, instead of 0.
      gauge.remove();
    };
    register(
      'atrium_failed_indexes',
      'Requested indexes of table columns that could not be built. Each instance reports all of them.',
      () => indexes.countFailed(),
    );
    register(
      'atrium_history_bytes',
      'Disk space of the former rows of all tables in the database, with their indexes. Each instance reports it.',
      async () => (await this.measure()).total,
    );
    register(
      'atrium_history_largest_bytes',
      'Disk space of the former rows of the table that has the most.',
      async () => (await this.measure()).largest,
    );
  }

  private async measure(): Promise<HistorySize> {
    const { measured } = this;
    if (measured && performance.now() - measured.at < MAX_AGE_MS) return measured.size;
    this.measuring ??= this.measureAll().finally(() => (this.measuring = undefined));
    const size = await this.measuring;
    this.measured = { size, at: performance.now() };
    return size;
  }

  private async measureAll(): Promise<HistorySize> {
    return this.physical.measureHistories(await this.tables.listAllWorkspaces());
  }
}
