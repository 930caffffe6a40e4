import { setTimeout as delay } from 'node:timers/promises';
import { TestDatabase, TestService } from '../support/service.js';
import { Tunnel } from '../support/tunnel.js';

/**
 * The statements of an idle instance per minute at most: one per JOB_POLL_S, two for the signing keys, and a margin.
 */
const MAX_STATEMENTS = 12;

it('an idle instance sends at most 12 statements per minute to the database', async () => {
  const database = await TestDatabase.create();
  const tunnel = await Tunnel.to(database);
  const defaults = { DATABASE_URL: tunnel.url, JOB_POLL_S: '8' };
  const service = await TestService.start(database, defaults);
  try {
    const before = tunnel.statements;
    await delay(60_000);
    const statements = tunnel.statements - before;
    expect(statements).toBeGreaterThan(1);
    expect(statements).toBeLessThanOrEqual(MAX_STATEMENTS);
  } finally {
    await service.stop();
    await tunnel.close();
    await database.drop();
  }
});
