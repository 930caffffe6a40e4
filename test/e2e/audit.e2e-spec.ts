import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { CLEANING, type SharedService, shareService, shareServices } from '../support/shared-services.js';
import { decode, passwordGrant, refresh, signIn } from '../support/tokens.js';

interface Line {
  at: string;
  kind: string;
  userId: string | null;
  clientId: string | null;
  sessionId: string | null;
  apiKeyId: string | null;
  reason: string | null;
  counts: Record<string, number> | null;
  address: string | null;
  requestId: string | null;
  sentRequestId: string | null;
}

describe('the audit log', () => {
  let database: Database;
  let service: SharedService;
  let api: Api;
  let me: Credentials;

  beforeAll(async () => {
    ({ database, service } = await shareService(CLEANING));
    api = new Api(service.baseUrl);
  });

  beforeEach(async () => {
    me = await service.provision();
  });

  /** The events as `operator audit` prints them. The options of that command have a separate test. */
  const read = (column: 'user_id' | 'client_id', value: string) =>
    database.query<Line>(
      `SELECT kind, user_id AS "userId", client_id AS "clientId", session_id AS "sessionId", api_key_id AS "apiKeyId",
              reason, counts, address, request_id AS "requestId", details->>'sentRequestId' AS "sentRequestId"
         FROM auth_events WHERE ${column} = $1 ORDER BY id DESC`,
      [value],
    );
  const mine = () => read('user_id', me.userId);
  const ofMyClient = () => read('client_id', me.clientId);
  const audit = (...options: string[]) => service.operator<Line[]>('audit', ...options);
  const kinds = (lines: Line[]) => lines.map(({ kind }) => kind);

  it('records the transitions of a session, the newest first, with address and request', async () => {
    const pair = await signIn(api, me);
    const sessionId = decode(pair.access_token).claims['sid'] as string;
    const again = (await refresh(api, pair.refresh_token)).body.data;
    await api.with({ 'X-Request-Id': 'goodbye' }).withToken(again.access_token).post('/v1/api/oauth2/logout');
    const lines = await mine();
    expect(kinds(lines)).toEqual([
      ...['session_revoked', 'refreshed', 'signed_in'],
      ...['api_key_created', 'client_created', 'member_added'],
    ]);
    for (const line of lines.slice(0, 3)) expect(line).toMatchObject({ sessionId, address: '127.0.0.1' });
    for (const line of lines.slice(3)) expect(line).toMatchObject({ address: null, requestId: null });
    expect(lines[0]).toMatchObject({ reason: 'logout' });
    expect(lines[1]).toMatchObject({ clientId: me.clientId });
  });

  it('records reuse with the number of revoked sessions, although the request fails', async () => {
    const [pair] = [await signIn(api, me), await signIn(api, me)];
    await refresh(api, pair.refresh_token);
    expect((await refresh(api, pair.refresh_token)).status).toBe(401);
    expect((await mine())[0]).toMatchObject({
      kind: 'reuse_detected',
      clientId: me.clientId,
      sessionId: decode(pair.refresh_token).claims['sid'],
      counts: { sessions: 2 },
    });
  });

  it('records rejections with client, reason and request', async () => {
    const caller = api.with({ 'X-Request-Id': 'wrong-secret' });
    await caller.token(passwordGrant({ ...me, clientSecret: me.apiKey }));
    await api.token(passwordGrant(me, ['nonsense']));
    const [scope, secret] = await ofMyClient();
    expect(scope).toMatchObject({ reason: 'The requested scope is invalid or unknown' });
    expect(secret).toMatchObject({
      reason: expect.stringMatching(/^Client authentication failed/) as string,
      requestId: expect.stringMatching(/^[\w-]{20,}$/) as string,
      sentRequestId: 'wrong-secret',
      address: '127.0.0.1',
    });
  });

  it('records a missing scope once per minute and scope, of the route and of what it would return', async () => {
    const { access_token } = await signIn(api, me, ['read:tours', 'write:workspaces']);
    const caller = api.withToken(access_token);
    for (let count = 0; count < 3; count++) expect((await caller.get('/v1/api/projects')).status).toBe(403);
    const subscriptions = `/v2/api/workspaces/${me.workspaceId}/subscriptions`;
    const url = 'https://example.com/';
    expect((await caller.post(subscriptions, { url, events: ['member.*'] })).status).toBe(403);
    const lines = (await mine()).filter(({ kind }) => kind === 'scope_rejected').reverse();
    const sessionId = decode(access_token).claims['sid'] as string;
    const line = { clientId: me.clientId, sessionId, address: '127.0.0.1', requestId: expect.any(String) as string };
    expect(lines).toEqual([
      expect.objectContaining({ ...line, reason: expect.stringContaining('read:projects') as string }),
      expect.objectContaining({ ...line, reason: expect.stringContaining('read:users') as string }),
    ]);
  });

  it('records the session of a rejected refresh', async () => {
    const pair = await signIn(api, me);
    await api.withToken(pair.access_token).post('/v1/api/oauth2/logout');
    await refresh(api, pair.refresh_token);
    const [line] = await mine();
    expect(line).toMatchObject({
      kind: 'refused',
      userId: me.userId,
      clientId: me.clientId,
      sessionId: decode(pair.refresh_token).claims['sid'],
    });
  });

  it('records actions of the operator', async () => {
    await signIn(api, me);
    await service.operator('client', 'rotate', me.clientId);
    await service.operator('session', 'reset', '--user', me.userId);
    await service.operator('client', 'disable', me.clientId);
    const [disabled, rotated] = await ofMyClient();
    expect(disabled).toMatchObject({ kind: 'client_disabled', counts: { sessions: 0 } });
    expect(rotated).toMatchObject({ kind: 'secret_rotated', counts: { sessions: 1 }, address: null });
    expect(kinds(await mine())[0]).toBe('sessions_reset');
  });

  it('records the use of an API key at most once per minute, and its revocation', async () => {
    await Promise.all(Array.from({ length: 20 }, () => api.withKey(me.apiKey).get('/v1/api/tours')));
    const uses = (await mine()).filter(({ kind }) => kind === 'api_key_used');
    expect(uses).toHaveLength(1);
    const id = uses[0]!.apiKeyId!;
    await service.operator('api-key', 'revoke', id);
    expect((await mine())[0]).toMatchObject({ kind: 'api_key_revoked', apiKeyId: id });
  });

  it('auth events can be filtered by user, client, kind, time and number of events', async () => {
    await signIn(api, me);
    await signIn(api, me);
    const [user, client] = [
      ['--user', me.userId],
      ['--client', me.clientId],
    ];
    expect(kinds(await audit(...user, '--since', '1h'))).toEqual([
      'signed_in',
      'signed_in',
      'api_key_created',
      'client_created',
      'member_added',
    ]);
    expect(await audit(...client, '--kind', 'signed_in', '--limit', '1')).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-/) as string,
        kind: 'signed_in',
        actorId: null,
        actor: null,
        workspaceId: null,
        workspace: null,
        userId: me.userId,
        user: expect.stringContaining('@') as string,
        clientId: me.clientId,
        sessionId: expect.any(String) as string,
        apiKeyId: null,
        actorKeyId: null,
        actorKeyName: null,
        credential: me.clientId.slice(0, 8),
        reason: null,
        counts: null,
        details: null,
        address: '127.0.0.1',
        userAgent: 'node',
        requestId: expect.any(String) as string,
      },
    ]);
    expect(await audit(...user, '--since', '2999-01-01')).toEqual([]);
  });

  it('contains no secret or token, even if one was sent in a wrong field', async () => {
    const pair = await signIn(api, me);
    const again = (await refresh(api, pair.refresh_token)).body.data;
    await refresh(api, pair.refresh_token);
    await api.withKey(me.apiKey).get('/v1/api/tours');
    // ID and secret swapped.
    await api.token({ grant_type: 'password', client_id: me.clientSecret, client_secret: me.clientId });
    await api.token({ grant_type: 'refresh_token', refresh_token: me.clientSecret });
    const log = JSON.stringify(await database.query('SELECT * FROM auth_events'));
    const secrets = [me.clientSecret, me.apiKey, pair.access_token, pair.refresh_token, again.refresh_token];
    for (const secret of secrets) expect(log).not.toContain(secret);
    for (const secret of secrets) expect(service.output.join('')).not.toContain(secret);
  });

  it('loses events that are too old, and sessions that expired without a refresh are deleted', async () => {
    const [old, refreshed, live] = [await signIn(api, me), await signIn(api, me), await signIn(api, me)];
    await refresh(api, refreshed.refresh_token);
    const idOf = (token: string) => decode(token).claims['sid'] as string;
    await database.query(`UPDATE auth_events SET at = now() - interval '366 days' WHERE user_id = $1`, [me.userId]);
    await database.query(`UPDATE sessions SET refresh_expires_at = now() - interval '31 days' WHERE id = ANY ($1)`, [
      [idOf(old.access_token), idOf(refreshed.access_token)],
    ]);
    const remaining = async () => {
      const rows = await database.query<{ id: string }>('SELECT id FROM sessions WHERE user_id = $1', [me.userId]);
      return rows.map(({ id }) => id).sort();
    };
    const expected = [idOf(refreshed.access_token), idOf(live.access_token)].sort();
    for (let tries = 0; tries < 200 && (await remaining()).length > 2; tries++) await sleep(100);
    expect(await remaining()).toEqual(expected);
    for (let tries = 0; tries < 200 && (await mine()).length > 0; tries++) await sleep(100);
    expect(await mine()).toEqual([]);
    // Reuse of a refreshed session is still detected.
    expect((await refresh(api, refreshed.refresh_token)).body.message).toBe('Refresh token has already been used');
  });
});

describe('a suspended user', () => {
  let services: SharedService[];
  let me: Credentials;

  beforeAll(async () => {
    ({ services } = await shareServices(2));
    me = await services[0]!.provision();
  });

  it('loses access immediately on every instance, and needs a new session after activation', async () => {
    const [here, there] = services.map((service) => new Api(service.baseUrl)) as [Api, Api];
    const pair = await signIn(here, me);
    const suspended = await services[0]!.operator('user', 'suspend', me.userId);
    expect(suspended).toMatchObject({ status: 'suspended', ended: 1 });
    for (const api of [here, there]) {
      const read = await api.withToken(pair.access_token).get('/v1/api/tours');
      expect([read.status, read.body.message]).toEqual([401, 'The session has been revoked']);
      expect((await refresh(api, pair.refresh_token)).body.message).toBe('The session has been revoked');
      expect((await api.token(passwordGrant(me))).body.message).toBe('Client authentication failed');
      expect((await api.withKey(me.apiKey).get('/v1/api/tours')).status).toBe(401);
    }
    await services[0]!.operator('user', 'activate', me.userId);
    expect((await here.withToken(pair.access_token).get('/v1/api/tours')).status).toBe(401);
    expect((await there.withKey(me.apiKey).get('/v1/api/tours')).status).toBe(200);
    await signIn(there, me);
  });
});
