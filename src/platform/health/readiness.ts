import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { DatabaseState } from '../database/database-state.js';

/** Readiness is reported within a second, also if the database does not respond. */
const DATABASE_TIMEOUT_MS = 800;

/** Readiness of this instance: not while it drains, and not without the database. */
@Injectable()
export class Readiness {
  private draining = false;
  private pendingCheck?: Promise<boolean>;

  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly database: DatabaseState,
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
    // Calls share a check that is pending, so that they occupy one connection at most.
    this.pendingCheck ??= this.database.isReachable().finally(() => (this.pendingCheck = undefined));
    const timeout = new AbortController();
    const late = delay(DATABASE_TIMEOUT_MS, 'late' as const, { signal: timeout.signal }).catch(() => 'late' as const);
    const receivedBefore = this.database.receivedBytes();
    try {
      const result = await Promise.race([this.pendingCheck, late]);
      // The check may wait because all connections are in use, while the database responds to their statements.
      const isUp = result === 'late' ? this.database.receivedBytes() > receivedBefore : result;
      return isUp ? indicator.up() : indicator.down();
    } finally {
      timeout.abort();
    }
  }
}
