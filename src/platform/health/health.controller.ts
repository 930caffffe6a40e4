import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces } from '@nestjs/swagger';
import { HealthCheck, HealthCheckService } from '@nestjs/terminus';
import { ApiGroup } from '../http/api-group.decorator.js';
import { ApiErrors } from '../http/error.dto.js';
import { Public } from '../security/require-scope.decorator.js';
import { NoRateLimit } from '../throttling/rate-limit.decorator.js';
import { MetricsRegistry } from './metrics-registry.js';
import { Readiness } from './readiness.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';

/** The document moves a schema with a title to `components.schemas`. */
const STATUS = { title: 'Health', type: 'object', properties: { status: { type: 'string', example: 'ok' } } };

@ApiGroup({
  name: 'Operations',
  description: 'Health checks for load balancers, and metrics for Prometheus. They need no credentials.',
  guide: 'operating',
})
@Controller()
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly readiness: Readiness,
    private readonly metrics: MetricsRegistry,
  ) {}

  @Get('health/live')
  @Public()
  @NoRateLimit()
  @ApiOperation({ summary: 'Check liveness', description: 'Does not use the database.' })
  @ApiOkResponse({
    description: 'The process is alive.',
    schema: STATUS,
  })
  live() {
    return { status: 'ok' };
  }

  @Get('health/ready')
  @Public()
  @NoRateLimit()
  @HealthCheck({ swaggerDocumentation: false })
  @ApiOperation({
    summary: 'Check readiness',
    description: 'Not ready while the instance drains or the database is unavailable.',
  })
  @ApiOkResponse({
    description: 'The instance is ready for requests.',
    schema: STATUS,
  })
  @ApiErrors(HTTP_ERRORS.not_ready)
  async ready() {
    await this.health.check([() => this.readiness.checkService(), () => this.readiness.checkDatabase()]);
    return { status: 'ok' };
  }

  @Get('metrics')
  @Public()
  @NoRateLimit()
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  @ApiProduces('text/plain')
  @ApiOperation({ summary: 'Read metrics for Prometheus' })
  @ApiOkResponse({ description: 'The metrics.', schema: { type: 'string' } })
  async scrape() {
    return this.metrics.metrics();
  }
}
