import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { HealthCheck, HealthCheckService } from '@nestjs/terminus';
import { Public } from '../security/require-scope.decorator.js';
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
  @ApiOperation({ summary: 'Is the process alive? Never touches the database.' })
  @ApiOkResponse({ schema: { type: 'object', properties: { status: { type: 'string', example: 'ok' } } } })
  live() {
    return { status: 'ok' };
  }

  @Get('health/ready')
  @Public()
  @HealthCheck()
  @ApiOperation({ summary: 'Is this instance to be sent requests?' })
  ready() {
    return this.health.check([() => this.readiness.service(), () => this.readiness.databaseAnswers()]);
  }

  @Get('metrics')
  @Public()
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  @ApiProduces('text/plain')
  @ApiOperation({ summary: 'Metrics in the text format of Prometheus' })
  @ApiOkResponse({ schema: { type: 'string' } })
  async scrape() {
    return this.metrics.registry.metrics();
  }
}
