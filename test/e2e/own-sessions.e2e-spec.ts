import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { decode, refresh, signIn } from '../support/tokens.js';

const SESSIONS = '/v1/api/sessions';

describe("the caller's sessions", () => {
  let database: Database;
  let service: SharedService;
  let api: Api;
  let me: Credentials;
  let otherUser: Credentials;

  beforeAll(async () => {
    ({ database, service } = await shareService());
    api = new Api(service.baseUrl);
  });

  beforeEach(async () => {
    [me, otherUser] = [await service.provision(), await service.provision()];
  });

  const idOf = (token: string) => decode(token).claims['sid'] as string;

  it('sessions of the caller are listed, the newest first, with the session of the request marked as current', async () => {
    const first = await signIn(api, me);
    const second = await signIn(api, me, ['read:tours']);
    await signIn(api, otherUser);
    const { status, body } = await api.withToken(first.access_token).get(SESSIONS);
    expect(status).toBe(200);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;
    const times = { createdAt: time, lastUsedAt: time, expiresAt: time };
    expect(body.data.items).toEqual([
      { id: idOf(second.access_token), clientId: me.clientId, scopes: ['read:tours'], current: false, ...times },
      { id: idOf(first.access_token), clientId: me.clientId, scopes: ['api'], current: true, ...times },
    ]);
  });

  it('contain the times of the last refresh and of expiry', async () => {
    const pair = await signIn(api, me);
    const before = (await api.withToken(pair.access_token).get(SESSIONS)).body.data.items[0];
    await refresh(api, pair.refresh_token);
    const after = (await api.withToken(pair.access_token).get(SESSIONS)).body.data.items[0];
    expect(Date.parse(before.expiresAt) - Date.parse(before.createdAt)).toBe(7 * 24 * 3600 * 1000);
    expect(Date.parse(after.lastUsedAt)).toBeGreaterThan(Date.parse(before.lastUsedAt));
    expect(Date.parse(after.expiresAt)).toBeGreaterThan(Date.parse(before.expiresAt));
  });

  it('sessions of the caller are not listed after they were revoked or have expired', async () => {
    const [current, revoked, expired] = [await signIn(api, me), await signIn(api, me), await signIn(api, me)];
    await api.withToken(revoked.access_token).post('/v1/api/oauth2/logout');
    await database.query('UPDATE sessions SET refresh_expires_at = now() WHERE id = $1', [idOf(expired.access_token)]);
    const { body } = await api.withToken(current.access_token).get(SESSIONS);
    expect(body.data.items.map(({ id }: { id: string }) => id)).toEqual([idOf(current.access_token)]);
  });

  it('sessions of the caller are revoked one by one, with immediate effect', async () => {
    const [current, other] = [await signIn(api, me), await signIn(api, me)];
    const caller = api.withToken(current.access_token);
    const { status, body } = await caller.send(`${SESSIONS}/${idOf(other.access_token)}`, { method: 'DELETE' });
    expect([status, body.message, body.data]).toEqual([200, 'The session has ended', {}]);
    const rejected = await api.withToken(other.access_token).get(SESSIONS);
    expect([rejected.status, rejected.body.message]).toEqual([401, 'The session has been revoked']);
    expect((await refresh(api, other.refresh_token)).body.message).toBe('The session has been revoked');
    expect((await caller.get(SESSIONS)).status).toBe(200);
  });

  it('sessions of the caller can be revoked by their own token', async () => {
    const { access_token: token } = await signIn(api, me);
    expect((await api.withToken(token).send(`${SESSIONS}/${idOf(token)}`, { method: 'DELETE' })).status).toBe(200);
    expect((await api.withToken(token).get(SESSIONS)).status).toBe(401);
  });

  it('sessions of the caller return 404 if they belong to another user, were revoked, or do not exist', async () => {
    const [mine, theirs, ended] = [await signIn(api, me), await signIn(api, otherUser), await signIn(api, me)];
    await api.withToken(ended.access_token).post('/v1/api/oauth2/logout');
    const caller = api.withToken(mine.access_token);
    const never = '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a';
    for (const id of [idOf(theirs.access_token), idOf(ended.access_token), never]) {
      const { status, body } = await caller.send(`${SESSIONS}/${id}`, { method: 'DELETE' });
      expect([status, body.message]).toEqual([404, 'The session was not found. Check the ID.']);
    }
    expect((await caller.send(`${SESSIONS}/nonsense`, { method: 'DELETE' })).status).toBe(400);
    expect((await api.withToken(theirs.access_token).get(SESSIONS)).status).toBe(200);
  });

  it('sessions of the caller are neither listed nor ended with an API key, which belongs to one workspace', async () => {
    const { access_token: token } = await signIn(api, me);
    const caller = api.withKey(me.apiKey);
    expect((await caller.get(SESSIONS)).status).toBe(401);
    expect((await caller.send(`${SESSIONS}/${idOf(token)}`, { method: 'DELETE' })).status).toBe(401);
    expect((await api.withToken(token).get(SESSIONS)).status).toBe(200);
  });

  it('a token of limited scopes ends its own session, but no other', async () => {
    const [full, limited] = [await signIn(api, me), await signIn(api, me, ['read:tours'])];
    const caller = api.withToken(limited.access_token);
    const { status, body } = await caller.send(`${SESSIONS}/${idOf(full.access_token)}`, { method: 'DELETE' });
    expect([status, body.error]).toEqual([403, 'insufficient_scope']);
    expect((await api.withToken(full.access_token).get(SESSIONS)).status).toBe(200);
    expect((await caller.send(`${SESSIONS}/${idOf(limited.access_token)}`, { method: 'DELETE' })).status).toBe(200);
  });

  it('require credentials', async () => {
    expect((await api.get(SESSIONS)).status).toBe(401);
  });
});
