import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { MetricsRegistry } from '../../../platform/health/metrics-registry.js';
import { ColumnIndexesRepository } from './column-indexes.repository.js';

/** The metric of indexes that could not be built. */
@Injectable()
export class IndexMetrics {
  constructor(registry: MetricsRegistry, indexes: ColumnIndexesRepository) {
    const gauge = new Gauge({
      name: 'atrium_failed_indexes',
      help: 'Requested indexes of table columns that could not be built. Each instance reports all of them.',
      registers: [registry],
      collect: async () => {
        const count = await registry.readInTime(() => indexes.countFailed());
        if (count !== undefined) gauge.set(count);
      },
    });
    // Absent until it is read, instead of 0.
    gauge.remove();
  }
}
