import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGunzip, gunzipSync, gzipSync } from 'node:zlib';
import tar from 'tar-stream';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { base64, bytesOf, download, localUrl, newPicture, withoutExpiry } from '../support/files.js';
import { Operator } from '../support/operator.js';
import { TestDatabase, TestService } from '../support/service.js';
import { column, Tables, text } from '../support/tables.js';
import { until } from '../support/until.js';

/** In all texts of the workspace that is removed, and nowhere else. */
const NEEDLE = 'zyxwvutsrq';
const PICTURE = newPicture();

let folder: string;
let databases: TestDatabase[];
let services: TestService[];
let source: TestService;
let target: TestService;
let operator: Operator;
let targetOperator: Operator;
let me: Credentials;
let api: Api;
let path: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'atrium-transfers-'));
  databases = await Promise.all([TestDatabase.create(), TestDatabase.create()]);
  services = await Promise.all(databases.map((each) => TestService.start(each, { CLEANUP_INTERVAL_S: '1' })));
  [source, target] = services as [TestService, TestService];
  [operator, targetOperator] = services.map(({ env }) => new Operator(env)) as [Operator, Operator];
  me = await source.provision(`Works ${NEEDLE}`);
  api = new Api(source.baseUrl).withKey(me.apiKey);
  path = `/v2/api/workspaces/${me.workspaceId}`;
  await fill();
}, 120_000);

afterAll(async () => {
  await Promise.all((services ?? []).map((service) => service.stop()));
  await Promise.all((databases ?? []).map((database) => database.drop()));
  rmSync(folder, { recursive: true, force: true });
});

const pathOf = (name: string) => join(folder, name);

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<any> {
  const { status, body: answer } = await api.post(url, body, headers);
  expect([url, status, status < 300 ? undefined : answer]).toEqual([url, status, undefined]);
  return answer.data;
}

/** Gives the workspace at least one record of each kind. */
async function fill(): Promise<void> {
  const tables = Tables.of(source, me);
  const columns = [text('Key'), text('Name'), column('Weight', 'number'), column('Parent', 'hierarchyParent')];
  const items = [
    { key: 'P-1', name: `Pump ${NEEDLE} "\\ \n\u0001 ü 🚰`, weight: 0.1 },
    { key: 'P-2', name: '', weight: 9007199254740991, parent: 'P-1' },
    { key: 'P-3', name: null, weight: 1e-7, parent: 'missing' },
    { key: 'P-4', name: `gone ${NEEDLE}` },
  ];
  expect((await tables.bulk('locations', { name: `Plants ${NEEDLE}`, columns, items })).status).toBe(201);
  const table = `${tables.path}/locations/${encodeURIComponent(`Plants ${NEEDLE}`)}`;
  await api.put(`${table}/items/P-1`, { name: `former ${NEEDLE}`, weight: 2.5 });
  await api.put(`${table}/items/P-1`, items[0]!);
  await api.delete(`${table}/items/P-4`);
  await api.post(`${table}/items/P-3/rename`, { key: 'P-30' });
  const permitted = { entity: 'locations', table: `Plants ${NEEDLE}` };
  await post(`${path}/access-policies`, { name: `Policy ${NEEDLE}`, tables: [permitted] });
  const { id: projectId } = await post('/v1/api/projects', { name: `Project ${NEEDLE}` });
  const { id: tourId } = await post('/v1/api/tours', { projectId, title: `Tour ${NEEDLE}` });
  const { id: tagId } = await post('/v1/api/tags', { tourId, label: `Tag ${NEEDLE}`, location: 'P-1' });
  await post('/v1/api/virtual-stagings', { tourId, type: 'stage', files: [base64('picture.png')] });
  await post(`${path}/subscriptions`, { url: `https://example.com/${NEEDLE}`, events: ['*'] });
  const note = await post(
    '/v1/api/notes',
    { title: `Note ${NEEDLE}`, tagId, customFields: { shift: NEEDLE }, files: [base64('picture.png', PICTURE)] },
    { 'Idempotency-Key': 'first' },
  );
  await post(`${path}/notes/${note.id}/messages`, {
    description: `Message ${NEEDLE}`,
    files: [base64('report.pdf', bytesOf('report.pdf'))],
  });
  await api.patch(`/v1/api/notes/${note.id}`, { status: 'Resolved' });
  await post(`${path}/notes`, { title: 'At a row', location: 'P-30' });
  expect((await findHits(api)).length).toBeGreaterThan(1);
}

/** The kinds of what the search finds, when the index is complete. */
async function findHits(caller: Api): Promise<unknown[]> {
  const { groups } = await until(
    async () => (await caller.get(`${path}/search?q=${NEEDLE}`)).body.data,
    (result: any) => result.isCurrent,
  );
  return groups.map(({ kind, items }: any) => [kind, items.length]);
}

/** The responses to reads of everything in the workspace. */
async function readAll(caller: Api): Promise<Record<string, unknown>> {
  const responses: Record<string, unknown> = {};
  const read = async (url: string) => {
    const { status, body } = await caller.get(url);
    expect([url, status]).toEqual([url, 200]);
    responses[url] = withoutExpiry(body.data);
    return body.data;
  };
  const table = `${path}/cw/locations/${encodeURIComponent(`Plants ${NEEDLE}`)}`;
  for (const list of ['projects', 'tours', 'tags', 'virtual-stagings', 'users', 'workspaces'])
    await read(`/v1/api/${list}`);
  for (const list of ['access-policies', 'cw/locations', 'cw/batches', 'events?limit=500'])
    await read(`${path}/${list}`);
  for (const query of ['items?expand=parent', 'changes?since=0', 'unresolved', 'items/P-1/history'])
    await read(`${table}/${query}`);
  for (const { id, files } of (await read(`${path}/notes`)).items as any[]) {
    const { items } = await read(`${path}/notes/${id}/messages`);
    await read(`${path}/notes/${id}/history`);
    for (const file of [...files, ...items.flatMap((message: any) => message.files)]) {
      const { status, bytes } = await download(`${caller.baseUrl}/v1/api/attachments/${file.id}`, {
        headers: caller.headers,
      });
      responses[file.id] = { status, bytes: bytes.toString('base64') };
    }
  }
  return responses;
}

const waitForThumbnails = (caller: Api) =>
  until(
    async () => (await caller.get(`${path}/notes`)).body.data.items as { files: { thumbnailUrl: string | null }[] }[],
    (notes) => notes.some(({ files }) => files.some(({ thumbnailUrl }) => thumbnailUrl !== null)),
  );

const exportTo = (name: string) => operator.json('workspace', 'export', me.workspaceId, '--to', pathOf(name));
const importFrom = (name: string, ...more: string[]) =>
  targetOperator.run('workspace', 'import', pathOf(name), '--json', ...more);

const listOwned = async () =>
  (
    await databases[1]!.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'workspace_id'",
    )
  )
    .map(({ name }) => name)
    .filter((name) => !/^(search_|pending_events$|events$|event_)/.test(name));

/** What the target contains, without what background work writes: numbers of events, and the search index. */
async function countTarget(): Promise<unknown> {
  const counts = [...(await listOwned()), 'workspaces', 'users'].map(
    (name) => `(SELECT count(*) FROM ${name}) AS ${name}`,
  );
  const schemas = "(SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'ws_%') AS schemas";
  const [stored] = await databases[1]!.query(`SELECT ${[...counts, schemas].join(', ')}`);
  return { stored, files: listFiles(target) };
}

/** The stored files of all workspaces, without their folders. */
function listFiles({ env }: TestService): string[] {
  const files = join(env['DATA_DIR']!, 'files');
  if (!existsSync(files)) return [];
  return readdirSync(files, { recursive: true, encoding: 'utf8' }).filter((name) => /[0-9a-f]{64}$/.test(name));
}

/** Writes a tar file with the members of an export, changed. */
async function rewrite(from: string, to: string, change: (name: string, content: Buffer) => Buffer | undefined) {
  const pack = tar.pack();
  const extract = createReadStream(pathOf(from)).pipe(createGunzip()).pipe(tar.extract());
  for await (const entry of extract) {
    const content = change(entry.header.name, await buffer(entry));
    if (content) pack.entry({ name: entry.header.name }, content);
  }
  pack.finalize();
  writeFileSync(pathOf(to), gzipSync(await buffer(pack)));
}

describe('an import of an export', () => {
  let targetApi: Api;
  let before: Record<string, unknown>;
  let empty: unknown;

  beforeAll(async () => {
    await waitForThumbnails(api);
    before = await readAll(api);
    empty = await countTarget();
    const { workspace, rows, files, notExported } = await exportTo('whole.tar.gz');
    expect({ rows: rows > 50, files, notExported, workspace }).toEqual({
      rows: true,
      files: 3,
      notExported: { apiKeys: 1, webhookSecrets: 1 },
      workspace: undefined,
    });
  }, 60_000);

  it.each<[string, string, (name: string, content: Buffer) => Buffer | undefined]>([
    [
      'a changed row',
      'export_damaged',
      (name, content) => (name.startsWith('rows/notes') ? replace(content) : content),
    ],
    ['a changed file', 'export_damaged', (name, content) => (name.startsWith('files/') ? Buffer.alloc(9) : content)],
    ['a missing file', 'export_damaged', (name, content) => (name.startsWith('files/') ? undefined : content)],
    ['a missing manifest', 'export_damaged', (name, content) => (name === 'manifest.json' ? undefined : content)],
    ['a newer format', 'export_too_new', (name, content) => (name === 'header.json' ? newer(content) : content)],
    ['an unknown column', 'export_too_new', (name, content) => (name === 'manifest.json' ? wider(content) : content)],
  ])('changes nothing: %s', async (_, code, change) => {
    await rewrite('whole.tar.gz', 'changed.tar.gz', change);
    const { code: exit, stderr } = await importFrom('changed.tar.gz');
    const message = code === 'export_damaged' ? 'not a complete export' : 'not known to this version';
    expect([exit, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(await countTarget()).toEqual(empty);
  });

  it.each([
    ['cut', (bytes: Buffer) => bytes.subarray(0, bytes.length - 100)],
    ['of another kind', () => Buffer.from('no export')],
    ['an uncompressed half', (bytes: Buffer) => gzipSync(gunzipSync(bytes).subarray(0, 20_000))],
  ])('changes nothing if the file is %s', async (_, change) => {
    writeFileSync(pathOf('changed.tar.gz'), change(readFileSync(pathOf('whole.tar.gz'))));
    const { code, stderr } = await importFrom('changed.tar.gz');
    expect([code, stderr]).toEqual([1, expect.stringContaining('not a complete export')]);
    expect(await countTarget()).toEqual(empty);
  });

  it('changes nothing if another workspace has a tag with the same number', async () => {
    const other = await target.provision();
    const caller = new Api(target.baseUrl).withKey(other.apiKey);
    const projectId = (await caller.post('/v1/api/projects', { name: 'Other' })).body.data.id;
    const tourId = (await caller.post('/v1/api/tours', { projectId, title: 'Other' })).body.data.id;
    const { id } = (await caller.post('/v1/api/tags', { tourId, label: 'Other' })).body.data;
    const stored = await countTarget();
    const { code, stderr } = await importFrom('whole.tar.gz');
    expect([code, stderr]).toEqual([1, expect.stringContaining('has a tag or another record')]);
    expect(await countTarget()).toEqual(stored);
    await targetOperator.json('workspace', 'delete', other.workspaceId, '--confirm', await nameOf(other), '--now');
    expect((await databases[1]!.query("SELECT 1 FROM directory WHERE kind = 'tag' AND id = $1", [id])).length).toBe(0);
  });

  it('changes nothing if rows belong to another workspace, or are incomplete', async () => {
    const other = await target.provision();
    const stored = await countTarget();
    const forge = async (table: string, change: (rows: string) => string) => {
      let [sha256, bytes] = ['', 0];
      await rewrite('whole.tar.gz', 'changed.tar.gz', (name, content) => {
        if (name === 'manifest.json')
          return withTable(content, table, (entry) => Object.assign(entry, { sha256, bytes }));
        if (!name.startsWith(`rows/${table}.`)) return content;
        const forged = Buffer.from(change(content.toString()));
        [sha256, bytes] = [createHash('sha256').update(forged).digest('hex'), forged.length];
        return forged;
      });
      const { code, stderr } = await importFrom('changed.tar.gz');
      expect(await countTarget()).toEqual(stored);
      return `${code} ${stderr}`;
    };
    const replace = (former: string, next: string) => (rows: string) => rows.replaceAll(former, next);
    const ofOther = replace(me.workspaceId, other.workspaceId);
    expect(await forge('workspace_members', ofOther)).toMatch(/^1 .*has rows of another workspace/);
    // Roles and policies are joined to texts, and keys are parts of statements.
    const withRole = replace('"role":"owner"', `"role":"owner,${other.workspaceId}:owner"`);
    const withKey = replace('"key":"', `"key":"' || `);
    const policy = JSON.stringify({ client: `${randomUUID()},${other.workspaceId}:owner` });
    const withPolicy = replace('"client_policies":null', `"client_policies":${policy}`);
    for (const [table, change] of [
      ['workspace_members', withRole],
      ['workspace_members', withPolicy],
      ['workspace_columns', withKey],
    ] as const)
      expect(await forge(table, change)).toMatch(/^1 .*has a row that no service has written/);
    const renamed = replace('"email":"', '"email":"other.');
    const moved = replace(me.userId, randomUUID());
    expect(await forge('users', (rows) => moved(renamed(rows)))).toMatch(/^1 .*refers to rows that it lacks/);
    await targetOperator.json('workspace', 'delete', other.workspaceId, '--confirm', await nameOf(other), '--now');
  });

  it('changes nothing if its audit event cannot be recorded', async () => {
    const stored = await countTarget();
    const database = databases[1]!;
    await database.query("ALTER TABLE auth_events ADD CONSTRAINT no_import CHECK (kind <> 'workspace_imported')");
    const { code, stderr } = await importFrom('whole.tar.gz');
    await database.query('ALTER TABLE auth_events DROP CONSTRAINT no_import');
    expect([code, stderr]).toEqual([1, expect.stringContaining('no_import')]);
    expect(await countTarget()).toEqual(stored);
  });

  it('changes nothing if it has secrets', async () => {
    await rewrite('whole.tar.gz', 'changed.tar.gz', (name, content) =>
      name === 'manifest.json'
        ? withTable(content, 'subscriptions', ({ columns }) => columns.push('previous_secret'))
        : content,
    );
    const { code, stderr } = await importFrom('changed.tar.gz');
    expect([code, stderr]).toEqual([1, expect.stringContaining('no export has the column subscriptions.previous_')]);
  });

  it('gives the same responses', async () => {
    expect((await importFrom('whole.tar.gz', '--slug', 'moved')).code).toBe(0);
    const args = ['--user', me.userId, '--workspace', 'moved'];
    const { apiKey } = await targetOperator.json('api-key', 'create', ...args);
    targetApi = new Api(target.baseUrl).withKey(apiKey as string);
    await waitForThumbnails(targetApi);
    const after = await readAll(targetApi);
    for (const [url, response] of Object.entries(before))
      expect([url, normalize(after[url])]).toEqual([url, normalize(response)]);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    expect(await findHits(targetApi)).toEqual(await findHits(api));
  });

  it('continues numbers, revisions and IDs', async () => {
    const write = async (caller: Api) => {
      const note = (await caller.post(`${path}/notes`, { title: 'Next' })).body.data;
      const table = `${path}/cw/locations/${encodeURIComponent(`Plants ${NEEDLE}`)}`;
      await caller.put(`${table}/items/P-9`, { name: 'new' });
      const { revision } = (await caller.get(`${table}/changes?since=0`)).body.data;
      const { latestSequence } = (await caller.get(`${path}/events?limit=1`)).body.data;
      const tourId = (await caller.get('/v1/api/tours')).body.data.items[0].id;
      const { id } = (await caller.post('/v1/api/tags', { tourId, label: 'Next' })).body.data;
      return { number: note.number, revision, hasEvents: latestSequence > 0, tag: id };
    };
    expect(await write(targetApi)).toEqual({ ...(await write(api)), tag: expect.any(Number) });
  });

  it('disables subscriptions until their secret is rotated', async () => {
    const { items } = (await targetApi.get(`${path}/subscriptions`)).body.data;
    expect(items).toEqual([expect.objectContaining({ status: 'disabled', disabledReason: 'operator' })]);
    const rotated = await targetApi.post(`${path}/subscriptions/${items[0].id}/secret`);
    expect(rotated.body.data.secret).toMatch(/^whsec_/);
    expect((await targetApi.patch(`${path}/subscriptions/${items[0].id}`, { status: 'enabled' })).status).toBe(200);
  });

  it('names a file that does not exist, or cannot be created', async () => {
    for (const args of [
      ['import', pathOf('absent.tar.gz')],
      ['export', me.workspaceId, '--to', pathOf('absent/x.tar.gz')],
    ]) {
      const { code, stderr } = await operator.run('workspace', ...args);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: ENOENT: no such file.*absent/)]);
    }
  });

  it('rejects a workspace that exists, and a file that exists', async () => {
    const stored = await countTarget();
    const again = await importFrom('whole.tar.gz');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('has the workspace')]);
    expect(await countTarget()).toEqual(stored);
    const { code, stderr } = await operator.run('workspace', 'export', me.workspaceId, '--to', pathOf('whole.tar.gz'));
    expect([code, stderr]).toEqual([1, expect.stringContaining('exists already')]);
  });
});

it('an export contains one moment of a workspace that is written', async () => {
  const { workspaceId, ...other } = await source.provision();
  const tables = Tables.of(source, { workspaceId, ...other });
  const columns = [text('Key'), column('Count', 'number')];
  let isWriting = true;
  const writing = (async () => {
    for (let count = 0; isWriting; count++) {
      const items = Array.from({ length: 200 }, (_, position) => ({ key: `K${position}`, count }));
      const named = ['First', 'Second'].map((name) => ({ name, columns, items }));
      expect([200, 201]).toContain((await tables.bulk('assets', named)).status);
    }
  })();
  for (let round = 0; round < 3; round++) {
    await until(async () => (await tables.read('assets', 'Second')).status === 200);
    await operator.json('workspace', 'export', workspaceId, '--to', pathOf(`moment-${round}`));
    const counts = new Set<string>();
    await rewrite(`moment-${round}`, 'unused', (name, content) => {
      if (name.startsWith('rows/t_'))
        for (const [, count] of content.toString().matchAll(/"c2":(\d+)/g)) counts.add(count!);
      return content;
    });
    expect(counts.size).toBe(1);
  }
  isWriting = false;
  await writing;
  expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
}, 60_000);

describe('a deleted workspace', () => {
  const remove = (...more: string[]) => operator.run('workspace', 'delete', me.workspaceId, ...more);
  const name = `Works ${NEEDLE}`;

  it('needs its name, and lists what is deleted', async () => {
    for (const args of [[], ['--confirm', 'another']]) {
      const { code, stderr } = await remove(...args);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/tables: 1, projects: 1.*notes: 3.*Nothing was deleted/),
      ]);
    }
    expect((await api.get(`${path}/notes`)).status).toBe(200);
  });

  it('does not exist for callers, and is restored as it was', async () => {
    const token = await new Api(source.baseUrl).signIn(me);
    const { items } = (await api.get(`${path}/notes`)).body.data;
    const [{ url }] = items.flatMap((note: any) => note.files);
    const projectId = (await api.get('/v1/api/projects')).body.data.items[0].id;
    const anonymous = new Api(source.baseUrl);
    const read = async () => ({
      key: (await api.get(`${path}/notes`)).status,
      token: (await token.get(`${path}/notes`)).status,
      write: (await token.post(`${path}/notes`, { title: 'x' })).status,
      record: (await token.get(`/v1/api/projects/${projectId}`)).status,
      list: ((await token.get('/v1/api/workspaces')).body.data.items as unknown[]).length,
      url: (await download(localUrl(source, url as string))).status,
      public: (await anonymous.post('/v1/public/saveThread', { projectId, title: 'x' })).status,
    });
    const existing = { key: 200, token: 200, write: 201, record: 200, list: 1, url: 200, public: 201 };
    expect(await read()).toEqual(existing);
    expect((await remove('--confirm', name)).code).toBe(0);
    expect(await read()).toEqual({ key: 401, token: 404, write: 404, record: 404, list: 0, url: 404, public: 403 });
    const listed = (await operator.json<any[]>('workspace', 'list')).find(({ id }) => id === me.workspaceId);
    expect(Date.parse(listed.removalDueAt as string)).toBeGreaterThan(Date.now() + 29 * 24 * 3_600_000);
    const { code } = await operator.run('user', 'create', '--email', 'x@example.com', '--workspace', me.workspaceId);
    expect(code).toBe(1);
    await operator.json('workspace', 'restore', me.workspaceId);
    expect(await read()).toEqual(existing);
    expect((await operator.run('workspace', 'restore', me.workspaceId)).stderr).toContain('not deleted');
  });

  it('is removed from all tables and files when its time is up', async () => {
    const database = databases[0]!;
    const other = await source.provision();
    const claims = pathOf('claims.json');
    const kept = { group: 'Kept', workspace: other.workspaceId, role: 'owner' };
    const memberships = [{ group: `Group ${NEEDLE}`, workspace: me.workspaceId, role: 'owner' }, kept];
    writeFileSync(claims, JSON.stringify({ memberships }));
    for (const url of ['http://127.0.0.1:9', 'http://127.0.0.1:10'])
      await operator.json('issuer', 'add', '--url', url, '--audience', 'a', '--claims', claims);
    await operator.json('issuer', 'remove', 'http://127.0.0.1:10');
    const before = await search(database);
    for (const part of [
      'notes',
      'note_messages',
      'projects',
      'auth_events',
      'idempotency_keys',
      'search_entries',
      'trusted_issuers',
      '.t_',
      '.h_',
    ])
      expect(before.some((name) => name.endsWith(part) || name.includes(part))).toBe(true);
    expect(listFiles(source)).not.toEqual([]);
    expect((await remove('--confirm', name)).code).toBe(0);
    await database.query("UPDATE workspaces SET removal_due_at = now() - interval '1 second' WHERE id = $1", [
      me.workspaceId,
    ]);
    // As a request of the last seconds, whose response is stored for a day.
    await until(async () => (await database.query("SELECT 1 FROM auth_events WHERE kind = 'workspace_removed'"))[0]);
    expect(await search(database)).toEqual([]);
    expect(
      await database.query('SELECT kind, reason, details FROM auth_events WHERE workspace_id = $1', [me.workspaceId]),
    ).toEqual([{ kind: 'workspace_removed', reason: null, details: null }]);
    const mappings = (await operator.json<any[]>('issuer', 'list')).map((issuer) => issuer.claims.memberships);
    expect(mappings).toEqual([[kept]]);
    const audited = await database.query<any>("SELECT details FROM auth_events WHERE kind LIKE 'issuer_%'");
    expect(audited.map(({ details }) => details.claims.memberships)).toEqual([[kept], [kept], [kept]]);
    expect(listFiles(source)).toEqual([]);
    expect(
      (await new Api(source.baseUrl).withKey(other.apiKey).get('/v1/api/workspaces')).body.data.items,
    ).toHaveLength(1);
  });

  it('is imported again from its export', async () => {
    const { code, stderr } = await operator.run('workspace', 'import', pathOf('whole.tar.gz'));
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(await operator.json('workspace', 'list')).toContainEqual(expect.objectContaining({ id: me.workspaceId }));
  });
});

/** The tables of the database, also of its system, that contain the text. */
async function search(database: TestDatabase): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'r' AND has_table_privilege(c.oid, 'SELECT')
        AND c.relname <> 'pg_statistic'  -- Samples of the planner, which the next ANALYZE replaces.`,
  );
  const hex = Buffer.from(NEEDLE).toString('hex');
  const found: string[] = [];
  for (const { name } of tables) {
    const sql = `SELECT 1 FROM ${name} t WHERE t::text LIKE '%${NEEDLE}%' OR t::text LIKE '%${hex}%' LIMIT 1`;
    if ((await database.query(sql)).length > 0) found.push(name);
  }
  return found;
}

async function nameOf({ workspaceId }: Credentials): Promise<string> {
  const workspaces = await targetOperator.json<{ id: string; name: string }[]>('workspace', 'list');
  return workspaces.find(({ id }) => id === workspaceId)!.name;
}

/** Without the slug, and what only the source or the target has. */
function normalize(response: unknown): unknown {
  return JSON.parse(
    JSON.stringify(response)
      .replace(/"slug":"[^"]*"/g, '"slug":""')
      .replace(/"(version|updatedAt)":("[^"]*"|\d+)/g, '"$1":0'),
  );
}

const replace = (content: Buffer) => Buffer.from(content.toString().replace(NEEDLE, NEEDLE.toUpperCase()));
const newer = (content: Buffer) => Buffer.from(content.toString().replace('"format": 1', '"format": 2'));
const wider = (content: Buffer) => withTable(content, 'notes', (table) => table.columns.push('mood'));

/** The manifest with a changed table. */
function withTable(content: Buffer, name: string, change: (table: any) => void): Buffer {
  const manifest = JSON.parse(content.toString());
  change(manifest.tables.find((table: any) => table.name === name));
  return Buffer.from(JSON.stringify(manifest));
}
