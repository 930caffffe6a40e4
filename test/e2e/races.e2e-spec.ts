import { type ApiResponse, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { LIMITED_SESSIONS, type SharedService, shareServices } from '../support/shared-services.js';
import { passwordGrant, refresh, signIn, type TokenPair } from '../support/tokens.js';

/** Two instances on one database; every race uses both. */
describe('concurrent requests on two instances', () => {
  let database: Database;
  let services: SharedService[];
  let instances: Api[];
  let me: Credentials;

  beforeAll(async () => {
    ({ services, database } = await shareServices(2, LIMITED_SESSIONS));
    instances = services.map((service) => new Api(service.baseUrl));
    me = await services[0]!.provision();
  });

  const fiftyTimes = (call: (instance: Api) => Promise<ApiResponse>) =>
    Promise.all(Array.from({ length: 50 }, (_, count) => call(instances[count % instances.length]!)));

  const countOutcomes = (answers: ApiResponse[]) => {
    const counts: Record<string, number> = {};
    for (const { status, body } of answers) {
      const outcome = status === 200 ? '200' : `${status} ${body.message}`;
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
    return counts;
  };

  const statusWith = async (pair: TokenPair) =>
    Promise.all(
      instances.map(async (instance) => (await instance.withToken(pair.access_token).get('/v1/api/tours')).status),
    );

  const reset = () => services[0]!.operator('session', 'reset', '--user', me.userId);
  const listActiveSessions = () => services[0]!.operator<unknown[]>('session', 'list', '--user', me.userId);

  it('50 concurrent sign-ins open ten sessions; 40 receive 403', async () => {
    const answers = await fiftyTimes((instance) => instance.token(passwordGrant(me)));
    expect(countOutcomes(answers)).toEqual({ '200': 10, '403 Maximum number of active sessions exceeded': 40 });
    expect(await listActiveSessions()).toHaveLength(10);
    await reset();
  });

  it('50 concurrent sign-ins open only the tenth session if nine exist', async () => {
    for (let count = 0; count < 9; count++) await signIn(instances[0]!, me);
    const answers = await fiftyTimes((instance) => instance.token(passwordGrant(me)));
    expect(countOutcomes(answers)['200']).toBe(1);
    await reset();
  });

  it('50 concurrent sign-ins with two clients of one user open ten sessions', async () => {
    const another = await services[0]!.operator<Credentials>('client', 'create', '--user', me.userId);
    let count = 0;
    // Each client signs in on both instances.
    const answers = await fiftyTimes((instance) => instance.token(passwordGrant(count++ % 4 < 2 ? me : another)));
    expect(countOutcomes(answers)).toEqual({ '200': 10, '403 Maximum number of active sessions exceeded': 40 });
    expect(await listActiveSessions()).toHaveLength(10);
    await reset();
  });

  it('50 concurrent refreshes of one token succeed once; the others are reuse, which revokes every session', async () => {
    const deadlocks = await database.deadlocks();
    for (let round = 0; round < 5; round++) {
      const other = await signIn(instances[1]!, me);
      const { refresh_token } = await signIn(instances[0]!, me);
      const answers = await fiftyTimes((instance) => refresh(instance, refresh_token));

      const { '200': succeeded = 0, ...rejected } = countOutcomes(answers);
      expect(succeeded).toBe(1);
      expect(rejected).toEqual({ '401 Refresh token has already been used': 49 });

      const winner = answers.find((answer) => answer.status === 200)!.body.data as TokenPair;
      expect(await statusWith(winner)).toEqual([401, 401]);
      expect(await statusWith(other)).toEqual([401, 401]);
    }
    expect(await listActiveSessions()).toEqual([]);
    // PostgreSQL resolves a deadlock after one second, so the responses would not show it.
    expect(await database.deadlocks()).toBe(deadlocks);
  });

  it('50 concurrent logouts of one session fail only because it is already revoked', async () => {
    const { access_token } = await signIn(instances[0]!, me);
    const answers = await fiftyTimes((instance) => instance.withToken(access_token).post('/v1/api/oauth2/logout'));
    const { '200': succeeded = 0, ...rejected } = countOutcomes(answers);
    expect(succeeded).toBeGreaterThan(0);
    expect(Object.keys(rejected).filter((outcome) => outcome !== '401 The session has been revoked')).toEqual([]);
    expect(await listActiveSessions()).toEqual([]);
  });
});
