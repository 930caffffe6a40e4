import { Injectable } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { Database } from '../database/database.js';

/** Is this instance to be sent requests? Not while it drains, and not while the database is out of reach. */
@Injectable()
export class Readiness {
  private draining = false;

  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly database: Database,
  ) {}

  /** From now on the instance answers "not ready"; the requests under way go on. */
  drain(): void {
    this.draining = true;
  }

  service() {
    const indicator = this.indicators.check('service');
    return this.draining ? indicator.down({ reason: 'draining' }) : indicator.up();
  }

  async databaseAnswers() {
    const indicator = this.indicators.check('database');
    try {
      await this.database.query('SELECT 1');
      return indicator.up();
    } catch {
      return indicator.down();
    }
  }
}
