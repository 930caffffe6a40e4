import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiResponse, Api } from '../support/api.js';
import { OperatorClient } from '../support/operator-client.js';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';
import { basic, decode, passwordGrant, refresh, signIn, type TokenPair } from '../support/tokens.js';

const REVOKED = 'The session has been revoked';
const USED = 'Refresh token has already been used';
const CLIENT_REJECTED = 'Client authentication failed';

/** Maximum number of rounds until each side of a race has won at least once. */
const MOST_ROUNDS = 1_000;
const AT_ONCE = 5;

type Client = Pick<Credentials, 'clientId' | 'clientSecret'>;

/** A revocation takes precedence over a concurrent sign-in or refresh, on two instances with one database. */
describe('a session that is revoked while it is used', () => {
  let database: TestDatabase;
  let services: TestService[];
  let operator: OperatorClient;
  let instances: [Api, Api];
  let me: Credentials;

  beforeAll(async () => {
    database = await TestDatabase.create();
    const settings = { MAX_SESSIONS_PER_USER: '10000' };
    services = await Promise.all([TestService.start(database, settings), TestService.start(database, settings)]);
    instances = services.map((service) => new Api(service.baseUrl)) as [Api, Api];
    operator = await services[0]!.operatorClient();
    me = await services[0]!.provision();
  });

  afterAll(async () => {
    await Promise.all((services ?? []).map((service) => service.stop()));
    await database?.drop();
  });

  /** The two instances in alternating order. */
  const orderInstances = (round: number) => (round % 2 ? ([...instances].reverse() as [Api, Api]) : instances);

  /** A user of the workspace, with a client. */
  async function createClient(name: string): Promise<Credentials> {
    const { id: userId } = await operator.newUser(name, me.workspaceId);
    const { clientId, clientSecret } = await operator.newClient(userId);
    return { ...me, userId, clientId, clientSecret };
  }

  /** Starts both at once, one of them a few milliseconds later, so that each is first in some rounds. */
  async function race<A, B>(one: () => Promise<A>, other: () => Promise<B>): Promise<[A, B]> {
    const pause = () => sleep(Math.random() * 6);
    const first = Math.random() < 0.5;
    return Promise.all([first ? one() : pause().then(one), first ? pause().then(other) : other()]);
  }

  const outcome = ({ status, body }: ApiResponse) => (status === 200 ? '200' : `${status} ${body.message}`);

  /** Both instances reject all tokens of the session. The refresh token must be the latest one; others are reuse. */
  async function expectEnded(pair: TokenPair, accessTokens = [pair.access_token]): Promise<void> {
    for (const instance of instances) {
      for (const token of accessTokens)
        expect(outcome(await instance.withToken(token).get('/v1/api/tours'))).toBe(`401 ${REVOKED}`);
      expect(outcome(await refresh(instance, pair.refresh_token))).toBe(`401 ${REVOKED}`);
    }
  }

  /** Runs rounds until there were enough of them and both outcomes were seen. */
  async function rounds<T>(least: number, wanted: T[], round: (index: number) => Promise<T | T[]>): Promise<void> {
    const seen = new Set<T>();
    let count = 0;
    while (count < least || (wanted.some((each) => !seen.has(each)) && count < MOST_ROUNDS)) {
      const indexes = Array.from({ length: AT_ONCE }, () => count++);
      for (const each of (await Promise.all(indexes.map(round))).flat()) seen.add(each as T);
    }
    expect([...seen].sort()).toEqual([...wanted].sort());
  }

  it('a session ended by logout, revocation or session list stays revoked whatever a concurrent refresh returns', async () => {
    const users = [me, ...(await Promise.all(['bea', 'cid', 'dan'].map(createClient)))];
    const endings: ((instance: Api, pair: TokenPair, client: Client) => Promise<ApiResponse>)[] = [
      (instance, { access_token: token }) => instance.withToken(token).post('/v1/api/oauth2/logout'),
      (instance, { refresh_token: token }, { clientId, clientSecret }) =>
        instance.post('/v1/api/oauth2/revoke', { token }, basic(clientId, clientSecret)),
      (instance, { access_token: token }) =>
        instance.withToken(token).send(`/v1/api/sessions/${decode(token).claims['sid']}`, { method: 'DELETE' }),
    ];

    const wins = endings.flatMap((_, index) => [`${index}: 200`, `${index}: 401 ${REVOKED}`]);
    await rounds(200, wins, async (index) => {
      const [here, there] = orderInstances(index);
      const client = users[index % users.length]!;
      const ending = index % endings.length;
      const pair = await signIn(here, client);
      const [refreshed, ended] = await race(
        () => refresh(here, pair.refresh_token),
        () => endings[ending]!(there, pair, client),
      );
      expect(outcome(ended)).toBe('200');
      const last = refreshed.status === 200 ? (refreshed.body.data as TokenPair) : pair;
      await expectEnded(last, [pair.access_token, last.access_token]);
      return `${ending}: ${outcome(refreshed)}`;
    });
  });

  it('a session ended by a rotation of the client secret stays revoked whatever a concurrent refresh returns', async () => {
    const { userId } = me;
    await rounds(50, ['200', `401 ${REVOKED}`], async (index) => {
      const [here] = orderInstances(index);
      const client = await operator.newClient(userId);
      const pair = await signIn(here, client);
      const [refreshed] = await race(
        () => refresh(here, pair.refresh_token),
        () => operator.rotate(client.clientId),
      );
      const last = refreshed.status === 200 ? (refreshed.body.data as TokenPair) : pair;
      await expectEnded(last, [pair.access_token, last.access_token]);
      return outcome(refreshed);
    });
  });

  describe('opening a session during a revocation', () => {
    const nothing = () => Promise.resolve();

    it.each<[string, (client: Credentials) => Promise<unknown>, (client: Credentials) => Promise<void>]>([
      ['a rotation of the secret', ({ clientId }) => operator.rotate(clientId), nothing],
      ['the disabling of the client', ({ clientId }) => operator.disable(clientId), nothing],
      [
        'the suspension of the user',
        ({ userId }) => operator.suspend(userId),
        ({ userId }) => operator.activate(userId),
      ],
    ])('a session opened during %s is rejected or revoked', async (what, end, restore) => {
      await rounds(40, ['200', `401 ${CLIENT_REJECTED}`], async (index) => {
        const client = await createClient(`${what.replaceAll(' ', '-')}-${index}`);
        const [answers] = await race(
          () => Promise.all([...instances, ...instances].map((instance) => instance.token(passwordGrant(client)))),
          () => end(client),
        );
        const opened = answers.filter(({ status }) => status === 200).map(({ body }) => body.data as TokenPair);
        for (const pair of opened) await expectEnded(pair);
        for (const instance of instances)
          expect(outcome(await instance.token(passwordGrant(client)))).toBe(`401 ${CLIENT_REJECTED}`);
        // Revoked sessions stay revoked after the user is activated.
        await restore(client);
        for (const pair of opened) await expectEnded(pair);
        return answers.map(outcome);
      });
    });
  });

  it('token reuse revokes the sessions that were opened before it, and none that was opened after it', async () => {
    await rounds(40, ['ended', 'lives'], async (index) => {
      const [here, there] = orderInstances(index);
      const client = await createClient(`reuse-${index}`);
      const before = [await signIn(here, client), await signIn(there, client)];
      const stolen = before[0]!.refresh_token;
      before.push((await refresh(here, stolen)).body.data as TokenPair);

      const [replayed, entered] = await race(
        () => refresh(here, stolen),
        () => Promise.all([here, there, here, there].map((instance) => signIn(instance, client))),
      );
      expect(outcome(replayed)).toBe(`401 ${USED}`);
      for (const { access_token: token } of before)
        for (const instance of instances)
          expect(outcome(await instance.withToken(token).get('/v1/api/tours'))).toBe(`401 ${REVOKED}`);

      const instants = await instantsOf(client.userId);
      return Promise.all(
        entered.map(async ({ access_token: token }) => {
          const lives = (await there.withToken(token).get('/v1/api/tours')).status === 200;
          const opened = instants[decode(token).claims['sid'] as string]!;
          if (lives) expect(opened).toBeGreaterThanOrEqual(instants['reuse']!);
          else expect(opened).toBeLessThanOrEqual(instants['reuse']!);
          return lives ? 'lives' : 'ended';
        }),
      );
    });
  });

  /**
   * The times at which each session was opened and reuse was detected, in milliseconds: from the IDs of the audit
   * events, which PostgreSQL creates while the user is locked. Their `at` is the start of the transaction, before it
   * waited.
   */
  async function instantsOf(userId: string): Promise<Record<string, number>> {
    const events = await database.query<{ id: string; session: string }>(
      `SELECT id, CASE kind WHEN 'signed_in' THEN session_id::text ELSE 'reuse' END AS session
         FROM auth_events WHERE user_id = $1 AND kind IN ('signed_in', 'reuse_detected')`,
      [userId],
    );
    return Object.fromEntries(
      events.map(({ id, session }) => [session, parseInt(id.replace('-', '').slice(0, 12), 16)]),
    );
  }
});
