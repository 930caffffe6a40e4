import { Injectable } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { Database } from '../database/database.js';

/** Readiness of this instance: not while it drains, and not without the database. */
@Injectable()
export class Readiness {
  private draining = false;

  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly database: Database,
  ) {}

  /** From now on the instance reports "not ready". */
  drain(): void {
    this.draining = true;
  }

  checkService() {
    const indicator = this.indicators.check('service');
    return this.draining ? indicator.down({ reason: 'draining' }) : indicator.up();
  }

  async checkDatabase() {
    const indicator = this.indicators.check('database');
    return (await this.database.isReachable()) ? indicator.up() : indicator.down();
  }
}
