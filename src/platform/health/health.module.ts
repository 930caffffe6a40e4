import { Global, Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { Registry } from 'prom-client';
import { OverloadModule } from '../overload/overload.module.js';
import { HealthController } from './health.controller.js';
import { MetricsRegistry } from './metrics-registry.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';

/** Liveness, readiness and metrics. */
@Global()
@Module({
  imports: [TerminusModule.forRoot({ logger: false }), OverloadModule],
  controllers: [HealthController],
  providers: [Readiness, Metrics, MetricsRegistry, { provide: Registry, useExisting: MetricsRegistry }],
  exports: [Readiness, Metrics, MetricsRegistry, Registry],
})
export class HealthModule {}
