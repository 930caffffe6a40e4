import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { type ApiResponse, Api } from '../support/api.js';
import { OperatorClient } from '../support/operator-client.js';
import type { Credentials } from '../support/credentials.js';
import { preload, TestDatabase, TestService } from '../support/service.js';
import { basic, passwordGrant, refresh, type TokenPair } from '../support/tokens.js';
import { PROPERTY_CASES } from '../support/property-cases.js';

const FULL = '403 Maximum number of active sessions exceeded';
const USED = '401 Refresh token has already been used';
const REVOKED = '401 The session has been revoked';
const ACCESS_EXPIRED = '401 The access token has expired';
const CLIENT_REJECTED = '401 Client authentication failed';
const REFRESH_INVALID = '401 The refresh token is invalid or expired';

const ACCESS_S = 900;
const REFRESH_S = 7 * 24 * 3600;
const TEN = 10;

/** Tolerance for the real time that passes between two steps, in seconds. */
const SLACK_S = 60;

/** A session by the specification. Times are those of the model, in seconds. */
interface ModelSession {
  generation: number;
  revoked: boolean;
  refreshUntil: number;
}

/** The state table of the specification, section 3: the outcome of each step and the resulting state. */
class Model {
  now = 0;
  readonly sessions = new Map<number, ModelSession>();

  signIn(id: number): string {
    const active = [...this.sessions.values()].filter((each) => !each.revoked && each.refreshUntil > this.now);
    if (active.length >= TEN) return FULL;
    this.sessions.set(id, { generation: 0, revoked: false, refreshUntil: this.now + REFRESH_S });
    return '200';
  }

  refresh(id: number, generation: number): string {
    const session = this.sessions.get(id)!;
    if (generation < session.generation) {
      this.revokeAll();
      return USED;
    }
    if (session.revoked) return REVOKED;
    if (session.refreshUntil <= this.now) return REFRESH_INVALID;
    session.generation++;
    session.refreshUntil = this.now + REFRESH_S;
    return '200';
  }

  use(id: number, issuedAt: number): string {
    if (issuedAt + ACCESS_S <= this.now) return ACCESS_EXPIRED;
    return this.sessions.get(id)!.revoked ? REVOKED : '200';
  }

  revoke(id: number): void {
    this.sessions.get(id)!.revoked = true;
  }

  revokeAll(): void {
    for (const id of this.sessions.keys()) this.revoke(id);
  }
}

/** A pair that the service issued, with the time of the model's clock. */
interface Issued extends TokenPair {
  id: number;
  issuedAt: number;
}

/** The client, and every pair that the service has issued: per session, the newest last. */
interface Real {
  client: Pick<Credentials, 'clientId' | 'clientSecret'>;
  /** Includes revoked and expired sessions. */
  issued: Map<number, Issued[]>;
  opened: number;
}

type Step = fc.AsyncCommand<Model, Real>;

describe('the transitions of sessions in any order', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-clock-'));
  const clock = join(folder, 'ahead');
  let database: TestDatabase;
  let service: TestService;
  let operator: OperatorClient;
  let api: Api;
  let me: Credentials;
  let aheadMs = 0;
  let users = 0;
  const seen = new Set<string>();

  beforeAll(async () => {
    writeFileSync(clock, '0');
    database = await TestDatabase.create();
    service = await TestService.start(database, {
      NODE_OPTIONS: preload('clock.mjs'),
      CLOCK_FILE: clock,
    });
    operator = await service.operatorClient();
    api = new Api(service.baseUrl);
    me = await service.provision();
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  /**
   * Tokens expire by the clock of the service, which is advanced; sessions by the database, whose times are set back.
   */
  async function letTimePass(seconds: number): Promise<void> {
    aheadMs += seconds * 1000;
    writeFileSync(clock, String(aheadMs));
    await database.query(
      `UPDATE sessions SET refresh_expires_at = refresh_expires_at - $1 * interval '1 second',
              created_at = created_at - $1 * interval '1 second', last_used_at = last_used_at - $1 * interval '1 second'`,
      [seconds],
    );
  }

  function outcome({ status, body }: ApiResponse): string {
    const result = status === 200 ? '200' : `${status} ${body.message}`;
    seen.add(result);
    return result;
  }
  const pick = <T>(from: readonly T[], by: number): T => from[by % from.length]!;

  /** Selects one of the issued pairs by session and generation. */
  const selectPair = ({ issued }: Real, session: number, generation: number) =>
    pick(pick([...issued.values()], session), generation);
  const selectCurrentPair = ({ issued }: Real, session: number) => pick([...issued.values()], session).at(-1)!;
  const hasSession = (model: Readonly<Model>) => model.sessions.size > 0;

  function addPair(real: Real, id: number, issuedAt: number, { body }: ApiResponse): void {
    real.issued.set(id, [...(real.issued.get(id) ?? []), { ...(body.data as TokenPair), id, issuedAt }]);
  }

  const step = (name: string, check: Step['check'], run: Step['run']): Step => ({ check, run, toString: () => name });

  const signIn = () =>
    step(
      'sign in',
      () => true,
      async (model, real) => {
        const id = real.opened++;
        const answer = await api.token(passwordGrant(real.client));
        expect(outcome(answer)).toBe(model.signIn(id));
        if (answer.status === 200) addPair(real, id, model.now, answer);
      },
    );

  const refreshWith = async (model: Model, real: Real, { id, refresh_token: token }: Issued) => {
    const generation = real.issued.get(id)!.findIndex((pair) => pair.refresh_token === token);
    const answer = await refresh(api, token);
    expect(outcome(answer)).toBe(model.refresh(id, generation));
    if (answer.status === 200) addPair(real, id, model.now, answer);
  };

  const refreshCurrent = (session: number) =>
    step(`refresh ${session}`, hasSession, (model, real) => refreshWith(model, real, selectCurrentPair(real, session)));

  const replay = (session: number, generation: number) =>
    step(`replay ${session}/${generation}`, hasSession, (model, real) =>
      refreshWith(model, real, selectPair(real, session, generation)),
    );

  const use = (session: number, generation: number) =>
    step(`use ${session}/${generation}`, hasSession, async (model, real) => {
      const { id, issuedAt, access_token: token } = selectPair(real, session, generation);
      expect(outcome(await api.withToken(token).get('/v1/api/tours'))).toBe(model.use(id, issuedAt));
    });

  const logout = (session: number) =>
    step(`logout ${session}`, hasSession, async (model, real) => {
      const { id, issuedAt, access_token: token } = selectCurrentPair(real, session);
      const expected = model.use(id, issuedAt);
      expect(outcome(await api.withToken(token).post('/v1/api/oauth2/logout'))).toBe(expected);
      if (expected === '200') model.revoke(id);
    });

  const revoke = (session: number, generation: number, kind: 'access_token' | 'refresh_token') =>
    step(`revoke ${session}/${generation} by its ${kind}`, hasSession, async (model, real) => {
      const { id, [kind]: token } = selectPair(real, session, generation);
      const credentials = basic(real.client.clientId, real.client.clientSecret);
      expect(outcome(await api.post('/v1/api/oauth2/revoke', { token }, credentials))).toBe('200');
      model.revoke(id);
    });

  const rotateSecret = () =>
    step(
      'rotate the secret',
      () => true,
      async (model, real) => {
        const before = real.client;
        real.client = await operator.rotate(before.clientId);
        model.revokeAll();
        expect(outcome(await api.token(passwordGrant(before)))).toBe(CLIENT_REJECTED);
      },
    );

  const timePasses = (seconds: number) =>
    step(
      `${seconds} s pass`,
      () => true,
      async (model) => {
        model.now += seconds;
        await letTimePass(seconds);
      },
    );

  const session = fc.nat(11);
  const generation = fc.nat(5);
  const steps = [
    ...[1, 2, 3].map(() => fc.constant(signIn())),
    ...[1, 2, 3].map(() => session.map(refreshCurrent)),
    fc.tuple(session, generation).map(([of, at]) => replay(of, at)),
    ...[1, 2].map(() => fc.tuple(session, generation).map(([of, at]) => use(of, at))),
    session.map(logout),
    fc
      .tuple(session, generation, fc.constantFrom('access_token' as const, 'refresh_token' as const))
      .map(([of, at, kind]) => revoke(of, at, kind)),
    fc.constant(rotateSecret()),
    fc.constantFrom(SLACK_S, ACCESS_S - SLACK_S, ACCESS_S, REFRESH_S - SLACK_S, REFRESH_S).map(timePasses),
  ];

  /** Some runs start with ten sign-ins, because few runs would reach the limit by chance. */
  const full = fc.constantFrom(0, 0, 0, TEN);

  it('match the state table of the specification', async () => {
    await fc.assert(
      fc.asyncProperty(full, fc.commands(steps, { maxCommands: 40, size: 'max' }), async (head, commands) => {
        const { id } = await operator.newUser(`model-${users++}`, me.workspaceId);
        const client = await operator.newClient(id);
        const model = new Model();
        const real: Real = { client, issued: new Map(), opened: 0 };
        for (let count = 0; count < head; count++) await signIn().run(model, real);
        await fc.asyncModelRun(() => ({ model, real }), commands);
      }),
      // A failure prints its seed and path. Add them here to reproduce it.
      { numRuns: PROPERTY_CASES, plugins: [fc.interruptAfterTimeLimit(40_000)] },
    );
    // Every outcome occurred at least once.
    expect([...seen].sort()).toEqual(
      ['200', REFRESH_INVALID, REVOKED, USED, ACCESS_EXPIRED, CLIENT_REJECTED, FULL].sort(),
    );
  });
});
