import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { HealthCheck, HealthCheckService } from '@nestjs/terminus';
import { ApiErrors } from '../http/error.dto.js';
import { Public } from '../security/require-scope.decorator.js';
import { NoRateLimit } from '../throttling/rate-limit.decorator.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';

@ApiTags('Operations')
@Controller()
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly readiness: Readiness,
    private readonly metrics: Metrics,
  ) {}

  @Get('health/live')
  @Public()
  @NoRateLimit()
  @ApiOperation({ summary: 'Is the process alive?', description: 'Never touches the database.' })
  @ApiOkResponse({
    description: 'It is.',
    schema: { type: 'object', properties: { status: { type: 'string', example: 'ok' } } },
  })
  live() {
    return { status: 'ok' };
  }

  @Get('health/ready')
  @Public()
  @NoRateLimit()
  @HealthCheck({ swaggerDocumentation: false })
  @ApiOperation({
    summary: 'Is this instance to be sent requests?',
    description: 'Not while it drains, and not while the database is out of reach.',
  })
  @ApiOkResponse({
    description: 'It is.',
    schema: { type: 'object', properties: { status: { type: 'string', example: 'ok' } } },
  })
  @ApiErrors(503)
  ready() {
    return this.health.check([() => this.readiness.service(), () => this.readiness.databaseAnswers()]);
  }

  @Get('metrics')
  @Public()
  @NoRateLimit()
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  @ApiProduces('text/plain')
  @ApiOperation({ summary: 'Metrics in the text format of Prometheus' })
  @ApiOkResponse({ description: 'The metrics.', schema: { type: 'string' } })
  async scrape() {
    return this.metrics.registry.metrics();
  }
}
