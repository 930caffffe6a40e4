import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { base64, bytesOf } from '../support/files.js';
import { Operator } from '../support/operator.js';
import { Receiver } from '../support/receiver.js';
import { TestDatabase, TestService } from '../support/service.js';
import { DELIVERING } from '../support/shared-services.js';
import { passwordGrant, signIn } from '../support/tokens.js';
import { until } from '../support/until.js';

/** A part of all names of the person, and of nothing else. */
const NAME_PART = 'quillfeather';
const EMAIL = `maria.${NAME_PART}@works.example`;
const NAME = 'Maria Quillfeather';
const ISSUER = 'http://127.0.0.1:9/tenant';
const SUBJECT = `sub|${NAME_PART}`;

const STAGINGS = '/v1/api/virtual-stagings';

interface Report {
  id: string;
  pseudonym: string;
  records: Record<string, number>;
}

describe('the erasure of a person', () => {
  let database: TestDatabase;
  let services: TestService[];
  let operator: Operator;
  let receiver: Receiver;
  let owner: Credentials;
  let foreigner: Credentials;
  let api: Api;
  let maria: { id: string; key: string } & Pick<Credentials, 'clientId' | 'clientSecret'>;
  let workspace: string;
  let noteId: string;
  let otherNote: object;

  beforeAll(async () => {
    database = await TestDatabase.create();
    services = await Promise.all([1, 2].map(() => TestService.start(database, DELIVERING)));
    operator = new Operator({ ...services[0]!.env, DATABASE_LOCK_TIMEOUT_MS: '500' });
    receiver = await Receiver.start((response, { body }) => void response.writeHead(200).end(body));
    [owner, foreigner] = await Promise.all([services[0]!.provision(), services[0]!.provision()]);
    api = new Api(services[0]!.baseUrl).withKey(owner.apiKey);
    workspace = `/v2/api/workspaces/${owner.workspaceId}`;
    await storePerson();
  });

  afterAll(async () => {
    receiver?.stop();
    await Promise.all((services ?? []).map((service) => service.stop()));
    await database?.drop();
  });

  const send = async (caller: Api, method: string, path: string, body?: unknown, headers = {}) => {
    const { status, body: answer } = await caller.send(path, { method, body, headers });
    expect([answer.details, status]).toEqual([undefined, expect.any(Number)]);
    expect(status).toBeLessThan(300);
    return answer.data;
  };
  const erase = (...args: string[]) => operator.json<Report>('user', 'erase', ...args);

  /** Stores the names of the person wherever callers and the operator can. */
  async function storePerson(): Promise<void> {
    await operator.json('issuer', 'add', '--url', ISSUER, '--audience', 'atrium', '--domain', 'works.example');
    const invited = { workspaceId: owner.workspaceId, email: EMAIL, displayName: NAME, role: 'owner' };
    await send(api, 'POST', '/v1/api/users', invited, { 'Idempotency-Key': 'invite' });
    const { id } = await operator.json<{ id: string }>(
      ...['user', 'create', '--email', EMAIL, '--name', NAME, '--workspace', owner.workspaceId],
    );
    await operator.json('client', 'create', '--user', id, '--federated', `${ISSUER},${SUBJECT}`);
    // As the first token of the person does.
    const link =
      'INSERT INTO federated_identities (issuer_id, subject, user_id) SELECT id, $1, $2 FROM trusted_issuers';
    await database.query(link, [`${SUBJECT}|2`, id]);
    const client = await operator.json<Credentials>('client', 'create', '--user', id);
    const { apiKey } = await operator.json<{ apiKey: string }>(
      ...['api-key', 'create', '--user', id, '--workspace', owner.workspaceId],
    );
    maria = { ...client, id, key: apiKey };
    await send(api, 'PATCH', `/v1/api/users/${id}?workspaceId=${owner.workspaceId}`, { externalId: EMAIL });
    const own = (await api.signIn({ ...owner, ...client })).with({ 'User-Agent': `${NAME}'s phone` });
    const key = { name: `Laptop of ${NAME}`, scopes: ['read:tours'] };
    await send(api, 'POST', `${workspace}/api-keys`, key);
    const subscription = { url: receiver.url, events: ['note.*'], description: `for ${EMAIL}` };
    await send(own, 'POST', `${workspace}/subscriptions`, subscription);
    const { id: projectId } = await send(api, 'POST', '/v1/api/projects', {
      name: `Hall of ${NAME}`,
      description: `Ask ${EMAIL.toUpperCase()}.`,
      coverImage: `https://images.example/${EMAIL}`,
    });
    const anonymous = new Api(services[0]!.baseUrl);
    const reported = { projectId, title: `Found by ${NAME}` };
    await send(anonymous, 'POST', '/v1/public/saveThread', reported, { 'Idempotency-Key': 'found' });
    await storeTour(projectId);

    const fields = { 'shift lead': NAME };
    const texts = { title: `Call ${NAME}`, description: `Line 1\n${NAME} or <${EMAIL}>`, customFields: fields };
    const names = { assignee: EMAIL, reporter: NAME };
    noteId = (await send(own, 'POST', `${workspace}/notes`, { ...texts, ...names }, { 'Idempotency-Key': 'note' })).id;
    await send(api, 'PATCH', `${workspace}/notes/${noteId}`, { assignee: 'someone else' });
    await send(api, 'PATCH', `${workspace}/notes/${noteId}`, { assignee: NAME });
    const file = base64(`${NAME} ${EMAIL}.png`, bytesOf('picture.png'));
    const message = { description: `Regards, ${NAME}`, files: [file] };
    await send(own, 'POST', `${workspace}/notes/${noteId}/messages`, message);
    const others = { title: 'Pump', assignee: `x-${EMAIL.replace(NAME_PART, 'gruber')}`, reporter: 'Maria' };
    const other = await send(api, 'POST', `${workspace}/notes`, others);
    otherNote = (await api.get(`${workspace}/notes/${other.id}`)).body.data;
    // Events repeat the comment of a decision. In JSON, the character before the name is a letter.
    const shifts = { name: 'Shifts', columns: [{ key: 'code', name: 'Code', type: 'text' }], items: [{ code: 'A' }] };
    await send(api, 'POST', `${workspace}/cw/assets/bulk`, { assets: [shifts] });
    const options = { approval: { required: true } };
    await send(api, 'PUT', `${workspace}/cw/assets/Shifts`, { options });
    const { proposalId } = await send(api, 'POST', `${workspace}/cw/assets/bulk`, {
      assets: [{ ...shifts, items: [{ code: 'B' }] }],
    });
    const comment = `Checked by\n${NAME} "or"\t${EMAIL}`;
    await send(api, 'POST', `${workspace}/cw/proposals/${proposalId}/reject`, { comment });
    await until(
      () => search(NAME_PART),
      ({ hits, isCurrent }) => isCurrent && hits.length > 0,
    );

    const group = {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      displayName: 'Shift',
      members: [{ value: id }],
    };
    const scim = { 'Content-Type': 'application/scim+json' };
    expect((await api.post(`/scim/v2/${owner.workspaceId}/Groups`, group, scim)).status).toBe(201);
    // A table of another workspace, which is never searched: its cells remain.
    const theirs = new Api(services[0]!.baseUrl).withKey(foreigner.apiKey);
    const columns = [{ key: 'code', name: 'Code', type: 'text' }];
    const assets = [{ name: 'People', columns, items: [{ code: EMAIL }] }];
    await send(theirs, 'POST', `/v2/api/workspaces/${foreigner.workspaceId}/cw/assets/bulk`, { assets });
    await until(
      async () => (await database.query('SELECT 1 FROM event_deliveries WHERE attempts::text ~ $1', [EMAIL])).length,
      Boolean,
    );
    const isPending = 'SELECT 1 FROM pending_events UNION ALL SELECT 1 FROM event_deliveries WHERE due_at IS NOT NULL';
    await until(
      async () => (await database.query(isPending)).length,
      (length) => length === 0,
    );
  }

  /** Stores the names in a tour, a tag and a virtual staging with a variation, which fails. */
  async function storeTour(projectId: string): Promise<void> {
    const url = `https://tours.example/?by=${EMAIL}`;
    const sceneId = `of ${NAME}`;
    const floors = [{ id: `floor of ${EMAIL}`, label: NAME }];
    const scenes = [{ id: sceneId, label: `Office of ${NAME}`, floorId: floors[0]!.id }];
    const tour = { projectId, title: 'Hall', shareUrl: url, thumbnailUrl: url, floors, scenes };
    const { id: tourId } = await send(api, 'POST', '/v1/api/tours', tour);
    const tag = { tourId, label: 'Desk', sceneId, floorId: floors[0]!.id, anchorPosition: { x: 0, y: 0, z: 0 } };
    await send(api, 'POST', '/v1/api/tags', tag);
    const files = [base64('room.png', bytesOf('picture.png'))];
    const staging = { tourId, type: 'stage', sceneId, roomType: `room of ${NAME}`, style: NAME, files };
    const { id } = await send(api, 'POST', STAGINGS, staging);
    const { claimToken } = await send(api, 'POST', `${STAGINGS}/claims`, {});
    const claim = { 'X-Claim-Token': claimToken as string };
    await send(api, 'POST', `${STAGINGS}/${id}/variations`, { label: `For ${EMAIL}`, files }, claim);
    await send(api, 'POST', `${STAGINGS}/${id}/fail`, { error: `Ask ${NAME}.` }, claim);
  }

  /** The IDs of the records that a search finds. */
  async function search(q: string): Promise<{ hits: string[]; isCurrent: boolean }> {
    const { groups, isCurrent } = (await api.get(`${workspace}/search?q=${encodeURIComponent(q)}`)).body.data;
    return {
      hits: (groups as { items: { id: string }[] }[]).flatMap(({ items }) => items.map(({ id }) => id)),
      isCurrent,
    };
  }

  /** The tables with the text in any column; `cells` for each table of a workspace. */
  async function findTables(text: string): Promise<string[]> {
    const tables = await database.query<{ schema: string; name: string }>(
      `SELECT table_schema AS schema, table_name AS name FROM information_schema.tables
        WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`,
    );
    const found: string[] = [];
    for (const { schema, name } of tables) {
      const sql = `SELECT 1 FROM "${schema}"."${name}" t WHERE t::text ILIKE $1 LIMIT 1`;
      if ((await database.query(sql, [`%${text}%`])).length > 0) found.push(schema === 'public' ? name : 'cells');
    }
    return found.sort();
  }

  const addresses = (userId: string) =>
    database.query('SELECT address, user_agent FROM auth_events WHERE actor_id = $1 AND address IS NOT NULL', [userId]);

  it('requires a confirmation', async () => {
    const { code, stderr } = await operator.run('user', 'erase', EMAIL);
    expect([code, stderr]).toEqual([1, 'error: Nothing was changed. Add --yes to apply it without a question.\n']);
  });

  it('is rejected for the last owner of a workspace, with what to do first', async () => {
    const { code, stderr } = await operator.run('user', 'erase', foreigner.userId, '--yes');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /last owner of the workspace "workspace-\w+"\. Make another member an owner first: user create/,
    );
    const theirs = new Api(services[0]!.baseUrl).withKey(foreigner.apiKey);
    expect((await theirs.get('/v1/api/tours')).status).toBe(200);
  });

  it('finds all tables with names in a dry run, and changes nothing', async () => {
    const { records } = await erase(EMAIL, '--dry-run');
    const named = [
      ...[
        'api_keys',
        'attachments',
        'auth_events',
        'cells',
        'event_deliveries',
        'events',
        'federated_identities',
        'idempotency_keys',
      ],
      ...['note_events', 'note_messages', 'notes', 'projects', 'search_entries', 'search_words'],
      ...['staging_variations', 'stagings', 'subscriptions', 'table_proposals', 'tags', 'tours'],
      ...['users', 'workspace_members'],
    ];
    expect(await findTables(NAME_PART)).toEqual(named);
    const counted = Object.keys(records).filter((table) => records[table]! > 0);
    const others = ['oauth_clients', 'scim_groups', 'sessions'];
    const uncounted = ['cells', 'search_words'];
    expect(counted.sort()).toEqual([...named, ...others].filter((table) => !uncounted.includes(table)).sort());
    expect((await new Api(services[1]!.baseUrl).withKey(maria.key).get('/v1/api/tours')).status).toBe(200);
  });

  it('that was interrupted has ended the access on all instances, and is completed by another one', async () => {
    const sessions = await Promise.all(services.map(({ baseUrl }) => signIn(new Api(baseUrl), maria)));
    const client = new Client(database.url);
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM projects WHERE workspace_id = $1 FOR UPDATE', [owner.workspaceId]);
    const interrupted = await operator.run('user', 'erase', EMAIL, '--yes');
    await client.end();
    expect(interrupted.code).toBe(1);
    for (const { baseUrl } of services) {
      const caller = new Api(baseUrl);
      expect((await caller.token(passwordGrant(maria))).status).toBe(401);
      expect((await caller.withKey(maria.key).get('/v1/api/tours')).status).toBe(401);
      for (const { access_token } of sessions)
        expect((await caller.withToken(access_token).get('/v1/api/tours')).status).toBe(401);
    }
    const { pseudonym, records } = await erase(EMAIL, '--yes');
    expect(pseudonym).toMatch(/^erased-[0-9a-f]{12}$/);
    expect(records).toMatchObject({ projects: 1, users: 1, workspace_members: 1 });
  });

  it('leaves neither the name nor the email address in any table, but the pseudonym', async () => {
    await until(
      () => search('Pump'),
      ({ isCurrent }) => isCurrent,
    );
    // Those of the other workspace.
    expect(await findTables(NAME_PART)).toEqual(['cells']);
    expect(await addresses(maria.id)).toEqual([]);
    const { pseudonym } = await erase(maria.id, '--dry-run');
    const note = (await api.get(`${workspace}/notes/${noteId}`)).body.data;
    expect(note).toMatchObject({
      title: `Call ${pseudonym}`,
      description: `Line 1\n${pseudonym} or <${pseudonym}>`,
      assignee: pseudonym,
      reporter: pseudonym,
      customFields: { 'shift lead': pseudonym },
    });
    const history = (await api.get(`${workspace}/notes/${noteId}/history`)).body.data.items as {
      from: unknown;
      to: unknown;
    }[];
    expect(history.filter(({ to }) => to === pseudonym || to === 'someone else').map(({ from }) => from)).toEqual([
      pseudonym,
      'someone else',
    ]);
    expect(
      (
        await until(
          () => search(pseudonym),
          ({ hits }) => hits.length > 0,
        )
      ).hits,
    ).toContain(noteId);
    const [tour] = (await api.get('/v1/api/tours')).body.data.items;
    const [tag] = (await api.get('/v1/api/tags')).body.data.items;
    const url = `https://tours.example/?by=${pseudonym}`;
    expect(tour).toMatchObject({
      shareUrl: url,
      floors: [{ id: `floor of ${pseudonym}`, label: pseudonym }],
      scenes: [{ id: tag.sceneId, label: `Office of ${pseudonym}`, floorId: tag.floorId }],
    });
    expect([tag.sceneId, tag.floorId]).toEqual([`of ${pseudonym}`, `floor of ${pseudonym}`]);
    const listed = await api.get(`/v1/api/notes?workspaceId=${owner.workspaceId}&q=${NAME_PART}`);
    expect(listed.body.data.items).toEqual([]);
    const user = (await api.get(`/v1/api/users/${maria.id}`)).body.data;
    expect(user).toMatchObject({ email: pseudonym, displayName: null, externalId: null });
  });

  it('changes nothing of others', async () => {
    const { id } = otherNote as { id: string };
    expect((await api.get(`${workspace}/notes/${id}`)).body.data).toEqual(otherNote);
    expect(await addresses(owner.userId)).not.toEqual([]);
    const theirs = new Api(services[0]!.baseUrl).withKey(foreigner.apiKey);
    const { items } = (await theirs.get(`/v2/api/workspaces/${foreigner.workspaceId}/cw/assets/People/items`)).body
      .data;
    expect(items).toEqual([expect.objectContaining({ code: EMAIL })]);
  });

  it('is recorded once, with the pseudonym only, and changes nothing if it is repeated', async () => {
    const { pseudonym, records } = await erase(maria.id, '--yes');
    expect(Object.values(records).filter(Boolean)).toEqual([]);
    const entries = await operator.json<object[]>('audit', '--kind', 'user_erased');
    expect(entries).toEqual([expect.objectContaining({ userId: maria.id, user: pseudonym, details: { pseudonym } })]);
    const { code, stderr } = await operator.run('user', 'activate', maria.id);
    expect([code, stderr]).toEqual([1, expect.stringContaining('not found')]);
  });

  it('cannot be undone: callers and the operator change nothing and give no credentials', async () => {
    const path = `/v1/api/users/${maria.id}`;
    const query = `?workspaceId=${owner.workspaceId}`;
    expect((await api.post(`${path}/restore${query}`)).status).toBe(404);
    expect((await api.send(path + query, { method: 'PATCH', body: { displayName: NAME } })).status).toBe(404);
    const user = ['--user', maria.id];
    for (const args of [
      ['client', 'create', ...user],
      ['client', 'create', ...user, '--federated', `${ISSUER},${SUBJECT}`],
      ['api-key', 'create', ...user, '--workspace', owner.workspaceId],
    ]) {
      const { code, stderr } = await operator.run(...args);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`The user ${maria.id} was not found`)]);
    }
  });

  it.each(['data', 'owner', '"role": "reader"', '], ['])(
    'of a member called %s changes no structure and no values of the service',
    async (displayName) => {
      const email = `${randomUUID()}@works.example`;
      const key = { 'Idempotency-Key': randomUUID() };
      const user = { workspaceId: owner.workspaceId, email, displayName, role: 'reader' };
      const theirs = new Api(services[0]!.baseUrl).withKey(foreigner.apiKey);
      const theirUser = { workspaceId: foreigner.workspaceId, email: `${randomUUID()}@works.example`, role: 'owner' };
      const inviteUsers = async () => [
        (await api.post('/v1/api/users', user, key)).body,
        (await theirs.post('/v1/api/users', { ...theirUser, displayName }, key)).body,
      ];
      const [stored, theirStored] = await inviteUsers();
      expect(stored.data).toMatchObject({ email, displayName });
      const audited = () =>
        database.query("SELECT id, details FROM auth_events WHERE kind = 'member_added' ORDER BY id");
      const before = await audited();
      const { pseudonym } = await erase(email, '--yes');
      const { data } = stored;
      const memberships = [{ ...data.memberships[0], displayName: pseudonym }];
      expect(await inviteUsers()).toEqual([
        { ...stored, data: { ...data, email: pseudonym, displayName: pseudonym, memberships } },
        theirStored,
      ]);
      expect(await audited()).toEqual(before);
    },
  );
});
