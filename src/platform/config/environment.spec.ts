import { EnvironmentError, environmentSchema, parseEnvironment } from './environment.js';

function errorsOf(environment: Record<string, string>): string[] {
  try {
    parseEnvironment(environment);
    return [];
  } catch (error) {
    return (error as EnvironmentError).errors;
  }
}

describe('the environment', () => {
  it.each(['65536', '80.5', 'true', '0'])('rejects the port %j', (PORT) => {
    expect(errorsOf({ PORT })).toEqual([expect.stringMatching(/^PORT: /)]);
  });

  it.each(['1', '65535'])('accepts the port %j', (PORT) => {
    expect(errorsOf({ PORT })).toEqual([]);
  });

  it.each([
    ['CLEANUP_INTERVAL_S', '3000000'],
    ['DATABASE_CONNECTION_MAX_LIFE_S', '3000000'],
    ['SHUTDOWN_TIMEOUT_MS', '3000000000'],
    ['SHUTDOWN_DRAIN_MS', '3000000000'],
    ['REQUEST_WAIT_MS', '3000000000'],
    ['DATABASE_CONNECT_TIMEOUT_MS', '3000000000'],
    ['DATABASE_STATEMENT_TIMEOUT_MS', '3000000000'],
    ['IDEMPOTENCY_TTL_S', '9007199254740991'],
    ['REFRESH_TOKEN_TTL_S', '9007199254740991'],
    ['EVENT_RETENTION_DAYS', '9007199254740991'],
    ['BATCH_UNDO_DAYS', '9007199254740991'],
    ['PUBLIC_URL', 'https://user:password@atrium.test'],
    ['PUBLIC_URL', 'https://atrium.test?a=b'],
    ['PUBLIC_URL', 'https://atrium.test/#a'],
    ['PUBLIC_URL', 'atrium.test'],
    ['STAGING_URL', 'https://atrium.test?a=b'],
  ])('rejects %s=%s with one line that begins with its name', (name, value) => {
    expect(errorsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name}: must `))]);
  });

  it('limits each time, so that no timer of Node ends at once', () => {
    const huge = '9007199254740991';
    const times = Object.keys(environmentSchema.shape).filter((name) => /_(MS|S|DAYS)$/.test(name));
    const accepted = times.filter((name) => errorsOf({ [name]: huge }).length === 0);
    expect(accepted).toEqual([]);
  });
});
