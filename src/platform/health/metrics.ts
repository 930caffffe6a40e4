import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Counter, collectDefaultMetrics, Gauge, Histogram } from 'prom-client';
import { Config } from '../config/config.js';
import { DatabaseState } from '../database/database-state.js';
import { ReadReplica } from '../database/read-replica.js';
import { errorCode, fullDisk } from '../http/error.filter.js';
import { routePattern } from '../http/middleware.js';
import { Jobs } from '../jobs/jobs.js';
import { registerDiskSpace } from './disk-space.js';
import { MetricsRegistry } from './metrics-registry.js';
import { OverloadGate } from '../overload/overload-gate.js';
import { listenOnce } from '../listeners.js';

/** The metrics of requests, overload, connections and queues. */
@Injectable()
export class Metrics {
  private readonly requests: Counter<'method' | 'route' | 'status'>;
  private readonly duration: Histogram<'method' | 'route'>;
  private readonly errors: Counter<'status' | 'code' | 'disk'>;

  constructor(
    registry: MetricsRegistry,
    database: DatabaseState,
    replica: ReadReplica,
    jobs: Jobs,
    gate: OverloadGate,
    { dataDir }: Config,
  ) {
    const registers = [registry];
    registerDiskSpace(registry, dataDir);
    this.requests = new Counter({
      name: 'http_requests_total',
      help: 'Requests, by route and status.',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.duration = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the first byte of a request to the last byte of its response.',
      labelNames: ['method', 'route'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    this.errors = new Counter({
      name: 'http_errors_total',
      help: 'Responses with 429 or 5xx, by status, code of the error and full disk: why requests are rejected.',
      labelNames: ['status', 'code', 'disk'],
      registers,
    });
    collectDefaultMetrics({ register: registry });
    new Counter({
      name: 'http_requests_rejected_total',
      help: 'Requests that were rejected before their execution, because the instance was overloaded.',
      registers,
      collect() {
        this.reset();
        this.inc(gate.rejected);
      },
    });
    new Gauge({
      name: 'http_requests_concurrent',
      help: 'Concurrent requests, and their limit, which follows the capacity of the instance.',
      labelNames: ['kind'],
      registers,
      collect() {
        const { limit, concurrent } = gate.state();
        this.set({ kind: 'limit' }, limit);
        this.set({ kind: 'running' }, concurrent);
      },
    });
    new Gauge({
      name: 'database_pool_connections',
      help: 'Connections of the pool, by state; waiting is the number of requests that wait for a connection.',
      labelNames: ['state'],
      registers,
      collect() {
        for (const [state, count] of Object.entries(database.poolState())) this.set({ state }, count);
      },
    });
    new Counter({
      name: 'database_replica_reads_total',
      help: 'Reads of the replica, by result. The primary is read if the replica was outdated or failed.',
      labelNames: ['result'],
      registers,
      collect() {
        this.reset();
        for (const [result, count] of Object.entries(replica.reads)) this.inc({ result }, count);
      },
    });
    new Gauge({
      name: 'job_queue_age_seconds',
      help: 'How long the oldest entry of a queue of background work waits, by queue; 0 if the queue is empty.',
      labelNames: ['queue'],
      registers,
      async collect() {
        this.reset();
        const ages = await registry.readInTime(() => jobs.ages());
        for (const [queue, seconds] of ages ?? []) this.set({ queue }, seconds);
      },
    });
  }

  /** Express middleware. Labels a request with the pattern of its route, because paths are unlimited. */
  readonly observe = (request: Request, response: Response, next: NextFunction): void => {
    const startedAt = process.hrtime.bigint();
    listenOnce(response, 'close', () => {
      const route = routePattern(request) ?? 'none';
      const { method } = request;
      const { statusCode: status, locals } = response;
      this.requests.inc({ method, route, status });
      if (status === 429 || status >= 500) this.errors.inc({ status, code: errorCode(locals), ...fullDisk(locals) });
      this.duration.observe({ method, route }, Number(process.hrtime.bigint() - startedAt) / 1e9);
    });
    next();
  };
}
