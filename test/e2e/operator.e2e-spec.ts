import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Api } from '../support/api.js';
import { CITUS_URL } from '../support/citus.mjs';
import { Operator, OperatorProcess } from '../support/operator.js';
import type { Credentials } from '../support/credentials.js';
import { freePort, ROOT, TestDatabase, TestService } from '../support/service.js';
import { passwordGrant, refresh, signIn } from '../support/tokens.js';
import { until } from '../support/until.js';

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const SESSIONS_OF_A_USER = 10;

type Client = Pick<Credentials, 'clientId' | 'clientSecret'>;
/** The JSON and the text output of a list. */
type Both = [Record<string, unknown>[], string];

describe('the operator CLI', () => {
  let folder: string;
  let database: TestDatabase;
  let service: TestService;
  let operator: Operator;
  let operatorProcess: OperatorProcess;
  let api: Api;
  let me: Credentials;
  /** A workspace of which the user is not a member. */
  let elsewhere: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'atrium-operator-'));
    chmodSync(folder, 0o755); // Under root, PostgreSQL runs as another user, which must be able to read the folder.
    database = await TestDatabase.create();
    service = await TestService.start(database);
    operator = new Operator(service.env);
    operatorProcess = new OperatorProcess(folder, service.env);
    api = new Api(service.baseUrl);
    [me, { id: elsewhere }] = await Promise.all([
      service.provision(),
      operator.json<{ id: string }>('workspace', 'create', '--name', '  Überlandwerk Süd '),
    ]);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const readWithKey = async (key: string) => (await api.withKey(key).get('/v1/api/tours')).status;
  const readWithToken = async (token: string) => (await api.withToken(token).get('/v1/api/tours')).status;
  const signInStatus = async (client: Client) => (await api.token(passwordGrant(client))).status;
  const newClient = (...args: string[]) => operator.json<Client>('client', 'create', '--user', me.userId, ...args);
  const both = (...list: string[]): Promise<Both> => Promise.all([operator.json(...list), operator.text(...list)]);

  /** Row counts of all tables that a command writes. */
  const stored = () =>
    database.query(`SELECT (SELECT count(*) FROM workspaces) AS workspaces, (SELECT count(*) FROM users) AS users,
      (SELECT count(*) FROM workspace_members) AS members, (SELECT count(*) FROM oauth_clients) AS clients,
      (SELECT count(*) FROM client_secrets WHERE expires_at IS NULL) AS secrets, (SELECT count(*) FROM api_keys) AS keys,
      (SELECT count(*) FROM sessions WHERE revoked_at IS NULL) AS sessions, (SELECT count(*) FROM pg_namespace) AS schemas`);

  it('rejects a folder for a backup that the system does not create', async () => {
    const { code, stderr } = await operatorProcess.run('backup', 'files', '/proc/backup/files');
    expect([code, stderr]).toEqual([1, expect.stringContaining('/proc/backup')]);
  });

  it('reports output that cannot be written', async () => {
    const command = `exec '${process.execPath}' dist/src/operator/main.js workspace list >/dev/full`;
    const failed = promisify(execFile)('bash', ['-c', command], { cwd: ROOT, env: service.env });
    const { code, stderr } = await failed.then(
      () => ({ code: 0, stderr: '' }),
      (error: unknown) => error as { code: number; stderr: string },
    );
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: ENOSPC[^\n]*\n$/)]);
  });

  it('creates no database', async () => {
    const DATA_DIR = join(folder, 'absent');
    const { code, stdout, stderr } = await operatorProcess
      .with({ DATABASE_URL: '', DATA_DIR, NODE_ENV: 'development' })
      .run('backup', 'files', join(folder, 'backup'));
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(`${DATA_DIR} contains no database.`)]);
    expect(readdirSync(folder)).not.toContain('absent');
  });

  it('prints no secret that an argument contains', async () => {
    const { code, stderr } = await operator.run('client', 'rotate', 'wss_0aZ9bY8c');
    expect([code, stderr]).toEqual([1, expect.stringContaining('wss_…')]);
  });

  describe('create commands', () => {
    it('create a workspace to which tables can be uploaded', async () => {
      const answer = await api.withKey(me.apiKey).post(`/v2/api/workspaces/${me.workspaceId}/cw/assets/bulk`, {
        assets: [{ name: 'Pumps', columns: [{ key: 'code', name: 'Code', type: 'text' }], items: [{ code: 'P-1' }] }],
      });
      expect(answer.status).toBe(201);
    });

    it('create workspaces with a given slug or one derived from the name', async () => {
      const name = 'Überlandwerk Süd';
      const given = await operator.text('workspace', 'create', '--name', name, '--slug', 'south-2');
      const [workspaces, table] = await both('workspace', 'list');
      expect(workspaces).toContainEqual({
        id: elsewhere,
        slug: 'uberlandwerk-sud',
        name,
        timezone: expect.any(String),
        settings: expect.any(Object),
        createdAt: TIME,
        updatedAt: TIME,
        removalDueAt: null,
      });
      const second = workspaces.find(({ slug }) => slug === 'south-2');
      expect(given).toContain(second?.id);
      expect(table).toMatch(/^SLUG +NAME +CREATED +ID/);
      // A table that is too wide breaks names and times, and no IDs.
      expect(table).toMatch(new RegExp(`^south-2 +\\S+(?: \\S+)* +\\d{4}-\\d\\d-\\d\\d +${second?.id}$`, 'm'));
    });

    it('create a user in several workspaces', async () => {
      const workspaces = ['--workspace', me.workspaceId, elsewhere, '--workspace', me.workspaceId.toUpperCase()];
      const name = 'Ada \u001b[31mred';
      const { id } = await operator.json(
        'user',
        'create',
        '--email',
        'Ada@Example.com',
        '--name',
        'Ada',
        ...workspaces,
      );
      // A name that was stored before names were checked.
      await database.query('UPDATE workspace_members SET display_name = $2 WHERE user_id = $1', [id, name]);
      const [users, table] = await both('user', 'list');
      expect(users).toContainEqual({
        id,
        email: 'ada@example.com',
        displayName: name,
        status: 'active',
        workspaceIds: [me.workspaceId, elsewhere].sort(),
        workspaces: expect.arrayContaining(['uberlandwerk-sud']),
        roles: expect.arrayContaining(['editor']),
        lastLoginAt: null,
        createdAt: TIME,
      });
      expect(table).toMatch(/^EMAIL +NAME +STATUS +WORKSPACES +LAST LOGIN/);
      expect(table).not.toContain(id);
      // Control characters of a name must not reach the terminal.
      expect(table).toContain('Ada ·[31mred');
    });

    it('create client credentials that are limited to their scopes', async () => {
      const client = await newClient('--scope', 'read:tours', '--scope', 'read:projects', 'read:tours');
      expect(client).toEqual({
        clientId: expect.stringMatching(/^wsc_/),
        clientSecret: expect.stringMatching(/^wss_/),
      });
      expect(await readWithToken((await signIn(api, client, ['read:tours'])).access_token)).toBe(200);
      expect((await api.token(passwordGrant(client, ['write:tours']))).status).toBe(403);
    });
  });

  it('shows secrets once, with a notice, and in no list', async () => {
    const [client, key] = await Promise.all([
      operator.text('client', 'create', '--user', me.userId),
      operator.text('api-key', 'create', '--user', me.userId, '--workspace', me.workspaceId),
    ]);
    for (const text of [client, key]) expect(text).toMatch(/not shown again/);
    const [clientId, clientSecret] = [/wsc_\w+/.exec(client)![0], /wss_\w+/.exec(client)![0]];
    const apiKey = /wsk_\w+/.exec(key)![0];
    expect([await signInStatus({ clientId, clientSecret }), await readWithKey(apiKey)]).toEqual([200, 200]);

    const lists = [
      ['client', 'list'],
      ['api-key', 'list'],
      ['session', 'list', '--user', me.userId],
    ];
    const [[clients, clientTable], [keys, keyTable], [sessions, sessionTable]] = (await Promise.all(
      lists.map((list) => both(...list)),
    )) as [Both, Both, Both];
    const { userId, workspaceId } = me;
    const last4 = apiKey.slice(-4);
    const used = { createdAt: TIME, lastUsedAt: TIME };
    const user = expect.stringContaining('@example.com');
    const workspace = expect.stringMatching(/^workspace-/);
    expect(clients).toContainEqual({
      clientId,
      userId,
      user,
      allowedScopes: ['api'],
      status: 'active',
      createdAt: TIME,
    });
    const ends = { expiresAt: null, revokedAt: null };
    const shown = { name: 'API key', scopes: ['api'], prefix: apiKey.slice(0, 8), last4, createdBy: null };
    expect(keys).toContainEqual({ id: UUID, userId, user, workspaceId, workspace, ...shown, ...used, ...ends });
    expect(sessions).toContainEqual({ id: UUID, clientId, scopes: ['api'], ...used, refreshExpiresAt: TIME });
    expect(clientTable).toMatch(/^CLIENT +USER +SCOPES +STATUS +CREATED/);
    expect(keyTable).toMatch(/^API KEY +NAME +USER +WORKSPACE +EXPIRES +LAST USED/);
    expect(keyTable).toContain(`…${last4}`);
    expect(sessionTable).toMatch(/^CLIENT +CREATED +LAST USED +EXPIRES/);
    for (const text of [clientTable, keyTable, sessionTable]) expect(text).not.toMatch(userId);
    for (const text of [clientTable, keyTable, sessionTable, JSON.stringify([clients, keys, sessions])]) {
      // Of a key, only the first and the last four random characters.
      expect(text).not.toMatch(/wss_|wsk_\w{5}|hmac|pepper|token/i);
    }
  });

  describe('commands next to a running service', () => {
    it('rotate a client secret, revoke its sessions, and expire the old secret immediately or after an overlap', async () => {
      const first = await newClient();
      const pair = await signIn(api, first);
      const second = await operator.json<Client>('client', 'rotate', first.clientId);
      expect(second).toEqual({ clientId: first.clientId, clientSecret: expect.stringMatching(/^wss_/) });
      expect([await signInStatus(first), await readWithToken(pair.access_token)]).toEqual([401, 401]);
      expect((await refresh(api, pair.refresh_token)).body.message).toBe('The session has been revoked');

      const { access_token } = await signIn(api, second);
      const text = await operator.text('client', 'rotate', first.clientId, '--overlap', '600');
      const third = { clientId: first.clientId, clientSecret: /wss_\w+/.exec(text)![0] };
      expect([await signInStatus(first), await signInStatus(second), await signInStatus(third)]).toEqual([
        401, 200, 200,
      ]);
      expect(await readWithToken(access_token)).toBe(401);
    });

    it('disable a client, which can then neither sign in nor be rotated', async () => {
      const client = await newClient();
      const { access_token } = await signIn(api, client);
      const others = await signIn(api, me);
      const answer = await operator.json('client', 'disable', client.clientId);
      expect(answer).toEqual({ clientId: client.clientId, status: 'disabled' });
      expect([await signInStatus(client), await readWithToken(access_token)]).toEqual([401, 401]);
      expect([await signInStatus(me), await readWithToken(others.access_token)]).toEqual([200, 200]);

      const before = await stored();
      const rejected = {
        code: 1,
        stdout: '',
        stderr: `error: The client ${client.clientId} is disabled and cannot be enabled. Create another client.\n`,
      };
      expect(await operator.run('client', 'rotate', client.clientId)).toEqual(rejected);
      expect(await stored()).toEqual(before);
    });

    it('revoke an API key immediately', async () => {
      const { id, apiKey } = await operator.json(
        'api-key',
        'create',
        ...['--user', me.userId, '--workspace', me.workspaceId],
      );
      expect(await readWithKey(apiKey)).toBe(200);
      expect(await operator.json('api-key', 'revoke', id)).toEqual({ id, status: 'revoked' });
      expect([await readWithKey(apiKey), await readWithKey(me.apiKey)]).toEqual([401, 200]);
    });

    it('create an API key that is rejected from its expiry on, and list the expiry', async () => {
      const create = ['api-key', 'create', '--user', me.userId, '--workspace', me.workspaceId];
      const key = await operator.json(...create, '--expires', '30d');
      const days = (Date.parse(key.expiresAt) - Date.now()) / 86_400_000;
      expect([Math.round(days), await readWithKey(key.apiKey)]).toEqual([30, 200]);
      const listed = (await operator.json('api-key', 'list')).find(({ id }: { id: string }) => id === key.id);
      expect(listed.expiresAt).toBe(key.expiresAt);
      expect(await operator.text('api-key', 'list')).toContain(key.expiresAt.slice(0, 10));
      // The key was used before, so the instance knows it.
      await database.query("UPDATE api_keys SET expires_at = now() + interval '1 s' WHERE id = $1", [key.id]);
      await until(async () => (await readWithKey(key.apiKey)) === 401);
      const soon = new Date(Date.now() + 6_000).toISOString();
      const short = await operator.json(...create, '--expires', soon);
      expect(short.expiresAt).toBe(soon);
      await until(async () => (await readWithKey(short.apiKey)) === 401);
      expect((await operator.json(...create)).expiresAt).toBeNull();
    });

    it('reset the sessions of a user and free their slots', async () => {
      expect(await operator.text('session', 'reset', '--user', me.userId)).toMatch(/[1-9] sessions were revoked\./);
      const pairs = await Promise.all(Array.from({ length: SESSIONS_OF_A_USER }, () => signIn(api, me)));
      expect(await signInStatus(me)).toBe(403);
      const answer = await operator.json('session', 'reset', '--user', me.userId);
      expect(answer).toEqual({ userId: me.userId, ended: SESSIONS_OF_A_USER });
      expect([await readWithToken(pairs[0]!.access_token), await signInStatus(me)]).toEqual([401, 200]);
    });
  });

  describe('invalid commands', () => {
    it.each([
      [
        'an unknown scope',
        ['client', 'create', '--user', UNKNOWN_ID, '--scope', 'api', 'admin'],
        /'admin' is invalid.*read:tours/,
      ],
      ['a malformed UUID', ['session', 'reset', '--user', '42'], /'42' is invalid.*email address or a UUID/],
      [
        'a malformed workspace among several',
        ['user', 'create', '--email', 'a@b.at', '--workspace', UNKNOWN_ID, 'x y'],
        /'x y' is invalid/,
      ],
      ['a malformed argument', ['api-key', 'revoke', 'wsk_abc'], /'wsk_abc' is invalid/],
      ...['2020-01-01', '0d', '2099-02-30', '2099-01-01T08:00', 'soon'].map((time): [string, string[], RegExp] => [
        `the expiry ${time}`,
        ['api-key', 'create', '--user', UNKNOWN_ID, '--workspace', UNKNOWN_ID, '--expires', time],
        /is invalid.*a future date, a future time such as/,
      ]),
      ['a missing option', ['user', 'create', '--email', 'a@b.at'], /required option '--workspace <workspace...>'/],
      ['a missing argument', ['client', 'rotate'], /missing required argument 'client-id'/],
      ['a malformed email', ['user', 'create', '--email', 'ada', '--workspace', UNKNOWN_ID], /'ada' is invalid.*email/],
      ['a blank name', ['workspace', 'create', '--name', ' '], /1 to 255 characters/],
      ['an invisible name', ['workspace', 'create', '--name', '\u200b'], /1 to 255 characters/],
      ['a name of two lines', ['workspace', 'create', '--name', 'A\u2028B'], /control characters/],
      ['a malformed slug', ['workspace', 'create', '--name', 'A', '--slug', 'a b'], /'a b' is invalid/],
      [
        'an overlap that is not a duration',
        ['client', 'rotate', 'wsc_x', '--overlap=-1'],
        /'-1' is invalid.*whole seconds/,
      ],
      ['a node without a port', ['cluster', 'move', 'vienna', 'worker-2'], /'worker-2' is invalid.*host:port/],
      ['an unknown command', ['workspace', 'drop'], /unknown command 'drop'/],
      ['an unknown option', ['workspace', 'list', '--all'], /unknown option '--all'/],
      ['an argument too many', ['workspace', 'list', 'mine'], /too many arguments/],
    ])('commands report %s in one line', async (_case, args, message) => {
      // The error is reported without opening a database: this one does not exist.
      const { code, stdout, stderr } = await operator
        .with({ DATABASE_URL: 'postgres://127.0.0.1:1/none' })
        .run(...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^error: [^\n]*\n$/);
      expect(stderr).toMatch(message);
    });

    it('a process reports an invalid command in one line and exits with code 2', async () => {
      expect(await operatorProcess.run('workspace', 'drop')).toEqual({
        code: 2,
        stdout: '',
        stderr: "error: unknown command 'drop'\n",
      });
    });

    it('commands report duplicates and unknown records and store nothing', async () => {
      const before = await stored();
      const rejections: [string, string[]][] = [
        [
          'A workspace with the slug "uberlandwerk-sud" already exists. Choose another slug.',
          ['workspace', 'create', '--name', 'Überlandwerk: Süd'],
        ],
        [
          `The workspace ${UNKNOWN_ID} was not found. Check the ID.`,
          ['user', 'create', '--email', 'new@example.com', '--workspace', elsewhere, UNKNOWN_ID],
        ],
        [
          `A membership of the user ${me.userId} in the workspace ${elsewhere} was not found. Check the ID.`,
          ['api-key', 'create', '--user', me.userId, '--workspace', elsewhere],
        ],
        [`The API key ${UNKNOWN_ID} was not found. Check the ID.`, ['api-key', 'revoke', UNKNOWN_ID]],
        [`The user ${UNKNOWN_ID} was not found. Check the ID.`, ['session', 'reset', '--user', UNKNOWN_ID, '--json']],
      ];
      const outcomes = await Promise.all(rejections.map(([, args]) => operator.run(...args)));
      const expected = rejections.map(([message]) => ({ code: 1, stdout: '', stderr: `error: ${message}\n` }));
      expect(outcomes).toEqual(expected);
      expect(await stored()).toEqual(before);
    });

    // The databases of a cluster have the extension.
    (CITUS_URL ? it.skip : it)('commands of clusters reject a database without Citus', async () => {
      const commands = [['status'], ['distribute'], ['rebalance'], ['move', elsewhere, 'worker-2:5432']];
      const outcomes = await Promise.all(commands.map((args) => operator.run('cluster', ...args)));
      const message = 'The database does not have the extension Citus. Run CREATE EXTENSION citus on each node.';
      expect(outcomes).toEqual(commands.map(() => ({ code: 1, stdout: '', stderr: `error: ${message}\n` })));
    });

    it('commands report invalid settings with one line per error', async () => {
      const { code, stdout, stderr } = await operator
        .with({ LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://x' })
        .run('user', 'list');
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^error: DATABASE_URL: [^\n]*\nerror: LOG_LEVEL: [^\n]*\n$/);
    });

    it('commands report secrets that differ from those of the service', async () => {
      const { code, stderr } = await operator.with({ ENCRYPTION_KEY: 'c'.repeat(64) }).run('user', 'list');
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^error: ENCRYPTION_KEY: [^\n]*\n$/) });
    });

    it('commands report an unreachable database', async () => {
      const url = `postgres://atrium:hidden@127.0.0.1:${await freePort()}/atrium`;
      const { code, stderr } = await operator.with({ DATABASE_URL: url }).run('user', 'list');
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/^error: DATABASE_URL: connection failed: [^\n]*ECONNREFUSED[^\n]*\n$/),
      });
      expect(stderr).not.toContain('hidden');
    });
  });

  it('removes deleted workspaces whose time was up a day after a restore of the database', async () => {
    const other = await service.provision('Restored');
    await operator.json('workspace', 'delete', other.workspaceId, '--confirm', 'Restored');
    const expire = "UPDATE workspaces SET removal_due_at = now() - interval '1 day' WHERE id = $1";
    await database.query(expire, [other.workspaceId]);
    expect((await operator.run('workspace', 'restore', other.workspaceId)).code).toBe(1);
    expect(await operator.json('backup', 'finish-restore')).toMatchObject({ postponedRemovals: 1 });
    await operator.json('workspace', 'restore', other.workspaceId);
    expect(await readWithKey(other.apiKey)).toBe(200);
  });

  it('accepts email addresses and slugs in place of IDs', async () => {
    const name = `Named ${Date.now() % 1e6}`;
    const { slug, id } = await operator.json<{ id: string; slug: string }>('workspace', 'create', '--name', name);
    const email = `${slug}@example.com`;
    const user = await operator.json<{ id: string }>('user', 'create', '--email', email, '--workspace', slug);
    const client = await operator.json<Client>('client', 'create', '--user', email.toUpperCase());
    const { apiKey } = await operator.json('api-key', 'create', '--user', email, '--workspace', slug);
    const created = await operator.json('audit', '--kind', 'workspace_created', '--limit', '1');
    expect(created).toMatchObject([{ workspaceId: id, details: { name, slug } }]);
    const ofClient = await operator.json('audit', '--client', client.clientId, '--kind', 'client_created');
    expect(ofClient).toMatchObject([{ details: { scopes: ['api'] } }]);
    const { access_token } = await signIn(api, client);
    expect([await readWithKey(apiKey), await readWithToken(access_token)]).toEqual([200, 200]);
    expect(await operator.json('session', 'list', '--user', email)).toHaveLength(1);
    expect(await operator.json('user', 'suspend', email)).toEqual({ id: user.id, status: 'suspended', ended: 1 });
    expect(await operator.json('user', 'activate', email)).toEqual({ id: user.id, status: 'active' });
    const settings = await operator.json('workspace', 'configure', slug, '--public-notes', 'off');
    expect(settings).toMatchObject({ id, publicNotes: false });
    expect(await operator.text('audit', '--user', email, '--kind', 'user_suspended')).toMatch(
      new RegExp(`user_suspended +${email.slice(0, 12)}\\S* +– +– +sessions: 1`),
    );
    const stderr = 'error: The user unknown@example.com was not found. Check the ID.\n';
    const failed = await operator.run('session', 'reset', '--user', 'unknown@example.com');
    expect(failed).toEqual({ code: 1, stdout: '', stderr });
  });

  it('prints tables that fit a terminal, without the IDs of users', async () => {
    const long = `${'department-of-maintenance-and-'.repeat(2)}it`;
    const { slug } = await operator.json('workspace', 'create', '--name', 'N'.repeat(120), '--slug', long);
    const email = `${'firstname.lastname.'.repeat(3)}integration@maintenance.example.com`;
    const { id } = await operator.json(
      'user',
      'create',
      '--email',
      email,
      '--workspace',
      slug,
      '--name',
      'D'.repeat(90),
    );
    const client = await operator.json<Client>('client', 'create', '--user', id, '--scope', 'api', 'read:tours');
    await signIn(api, client);
    const key = await operator.json('api-key', 'create', '--user', id, '--workspace', slug);
    const lists = [
      ['workspace', 'list'],
      ['user', 'list'],
      ['client', 'list'],
      ['api-key', 'list'],
      ['key', 'list'],
    ];
    for (const args of [...lists, ['session', 'list', '--user', email], ['audit', '--user', email]]) {
      const text = await operator.text(...args);
      // An ID is printed whole.
      const width = args[0] === 'audit' ? 80 : 100;
      const tooWide = text.split('\n').filter((line) => line.length > width);
      expect({ args, tooWide }).toEqual({ args, tooWide: [] });
      expect(text).not.toContain(id);
    }
    expect(await operator.text('client', 'list')).toContain(client.clientId);
    expect(await operator.text('api-key', 'list')).toContain(key.id);
    expect(await operator.text('session', 'list', '--user', email)).toContain(client.clientId);
  });

  it('prints an entry of the audit log in a few lines, also if it has many details', async () => {
    const write = (keys: string[]) => {
      const columns = ['code', ...keys].map((key) => ({ key, name: key, type: 'text', primaryKey: key === 'code' }));
      const path = `/v2/api/workspaces/${me.workspaceId}/cw/assets/bulk`;
      return api.withKey(me.apiKey).post(path, { assets: [{ name: 'Wide', columns, items: [] }] });
    };
    await write([]);
    expect((await write(Array.from({ length: 100 }, (_, at) => `column_${at}`))).status).toBe(200);
    const [[entry], text] = await both('audit', '--kind', 'table_changed');
    expect(entry!['details']).toMatchObject({ changes: { length: 100 } });
    expect(text).toMatch(/table: Wide[^]*changes: 100/);
    expect(text.split('\n').length).toBeLessThan(15);
  });

  it('prints help with an example for each command and group', async () => {
    const commands: string[][] = [];
    const visit = async (path: string[]) => {
      const help = await operator.text(...path, '--help');
      expect(help).toMatch(/\nExamples?:\n +npm run -s operator -- /);
      const [, list = ''] = /\nCommands:\n((?: .*\n)+)/.exec(help) ?? [];
      const names = [...list.matchAll(/^ {2}([\w-]+)/gm)].map(([, name]) => name!).filter((name) => name !== 'help');
      for (const name of names) await visit([...path, name]);
      if (names.length === 0) commands.push(path);
      const examples = [...help.matchAll(/npm run -s operator -- (.*)/g)].map(([, example]) => example!);
      expect(examples.filter((example) => example.startsWith(path.join(' ')))).toEqual(examples);
    };
    await visit([]);
    expect(commands).not.toEqual([]);
  });

  it('prints help for all commands and for one command', async () => {
    const [all, one] = await Promise.all([operatorProcess.text('--help'), operator.text('client', 'create', '--help')]);
    for (const noun of ['workspace', 'user', 'client', 'api-key', 'session', 'key'])
      expect(all).toMatch(new RegExp(`^  ${noun} `, 'm'));
    expect(one).toMatch(/--user <user>[^]*--scope <scope...>[^]*--json/);
  });

  describe('without a running service', () => {
    it('works with DATABASE_URL, also if the database is empty', async () => {
      const empty = await TestDatabase.createEmpty();
      const standalone = operator.with({ DATABASE_URL: empty.url });
      try {
        const { id } = await standalone.json('workspace', 'create', '--name', 'First');
        expect(await standalone.json('workspace', 'list')).toEqual([expect.objectContaining({ id, name: 'First' })]);
      } finally {
        await empty.drop();
      }
    });

    it('works with the embedded database and stops its PostgreSQL', async () => {
      const dataDir = join(folder, 'data');
      const standalone = operatorProcess.with({
        DATABASE_URL: '',
        DATA_DIR: dataDir,
        CREDENTIAL_PEPPER: '',
        ENCRYPTION_KEY: '',
      });
      // The first start of the service creates the database.
      const create = `
        const { EmbeddedPostgres } = await import('./dist/src/embedded-postgres/embedded-postgres.js');
        await (await EmbeddedPostgres.start({ dataDir: '${dataDir}' })).stop();`;
      await promisify(execFile)(process.execPath, ['--input-type=module', '-e', create], { cwd: ROOT });
      const isPostgresRunning = () =>
        existsSync(join(dataDir, 'postgres/data/postmaster.pid')) || postgresUnder(dataDir).length > 0;
      const { id } = await standalone.json('workspace', 'create', '--name', 'Embedded');
      expect(isPostgresRunning()).toBe(false);
      // Of two commands at once, the last one to exit stops the server.
      const [workspaces, users] = await Promise.all([
        standalone.json('workspace', 'list'),
        standalone.text('user', 'list'),
      ]);
      expect({ workspaces, users }).toEqual({
        workspaces: [expect.objectContaining({ id })],
        users: 'There are no users.\n',
      });
      expect(isPostgresRunning()).toBe(false);
      // A command that fails after the start of PostgreSQL stops it too.
      const rejected = await standalone.with({ ENCRYPTION_KEY: 'c'.repeat(64) }).run('user', 'list');
      expect(rejected).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^error: ENCRYPTION_KEY: [^\n]*\n$/),
      });
      expect(isPostgresRunning()).toBe(false);
    });
  });
});

/** Process IDs of PostgreSQL processes with data in the folder; only on Linux, otherwise empty. */
function postgresUnder(dataDir: string): string[] {
  if (!existsSync('/proc/self/cmdline')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandLine(pid).includes(dataDir));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
