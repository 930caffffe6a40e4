import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';

const OUTCOMES = ['created', 'updated', 'unchanged', 'deleted', 'failed'] as const;

/** Prometheus counter of the rows of loads. */
@Injectable()
export class RowMetrics {
  private readonly rows: Counter<'entity' | 'outcome'>;

  constructor(registry: Registry) {
    this.rows = new Counter({
      name: 'atrium_rows_total',
      help: 'Received rows of workspace tables, by entity and outcome.',
      labelNames: ['entity', 'outcome'],
      registers: [registry],
    });
  }

  countRows(entity: string, counts: Partial<Record<(typeof OUTCOMES)[number], number>>): void {
    for (const outcome of OUTCOMES) this.rows.inc({ entity, outcome }, counts[outcome] ?? 0);
  }
}
