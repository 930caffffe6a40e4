import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Api } from '../support/api.js';
import { MARKDOWN_FILES } from '../support/documents.js';
import { Home } from '../support/home.js';
import { ROOT } from '../support/service.js';
import { until } from '../support/until.js';

interface ReplyBody {
  status: number;
  data: { hasMore: boolean; items: unknown[]; total: number; totals: Record<string, number> };
  details: { errors: { index: number; column: string; code: string }[] };
}

interface Language {
  name: string;
  command: string;
  toArguments: (file: string) => string[] | Promise<string[]>;
}

/** The source of the client: nothing is installed. */
const CLIENT = JSON.stringify(join(ROOT, 'clients/typescript/src/client.ts'));

/** How a program runs in each language that the guide shows, if the language is installed. */
const LANGUAGES: Record<string, Language> = {
  sh: { name: 'program.sh', command: 'bash', toArguments: (file) => ['-e', file] },
  ts: { name: 'program.ts', command: process.execPath, toArguments: bundle },
  python: { name: 'program.py', command: 'python3', toArguments: (file) => [file] },
};

/** Runs the shell commands of the documents in a shell, with a service on its own new PostgreSQL. */
describe('commands of the documents', () => {
  let home: Home;
  const executed: string[] = [];

  beforeAll(async () => {
    home = await Home.make();
    // All guides are read within a minute: each signs in.
    await home.start({ RATE_LIMIT_TOKEN: '100/60/60' });
  });

  afterAll(async () => {
    await home.stop();
    home.remove();
  });

  /** Runs the first shell block below the heading. @returns the JSON values that it prints. */
  async function paste<T>(document: string, heading: string): Promise<T[]> {
    const block = blockBelow(document, heading);
    executed.push(block);
    const { stdout } = await promisify(execFile)('bash', ['-c', block], { cwd: home.path });
    expect(readdirSync(home.path)).toEqual(['.data']);
    return parseValues(stdout) as T[];
  }

  it('of the README sign in, push, read, create a note and sign out', async () => {
    const heading = '## Five minutes with curl';
    const [pushed, rejected, page, note, signedOut, ...rest] = await paste<ReplyBody>('README.md', heading);
    expect(rest).toEqual([]);
    expect(pushed).toMatchObject({ status: 201, data: { totals: { received: 3, created: 3 } } });
    expect(rejected).toMatchObject({ status: 422 });
    expect(rejected!.details.errors).toMatchObject([{ index: 1, column: 'colour', code: 'unknown_column' }]);
    expect(page).toMatchObject({ status: 200, data: { hasMore: true, total: 3 } });
    expect(page!.data.items).toHaveLength(2);
    expect(note).toMatchObject({
      status: 201,
      data: { location: { name: 'Cooling water' }, customFields: { shift: 'night' } },
    });
    expect(signedOut).toMatchObject({ status: 200 });
  });

  it('compare the legacy webhook with a bulk request, in the migration guide', async () => {
    const [pushed, dryRun, page, ...rest] = await paste<any>(
      'docs/how-to/migrating-from-the-webhook.md',
      '## How to compare',
    );
    expect(rest).toEqual([]);
    expect(pushed).toMatchObject({ status: 201, data: { totals: { received: 2, created: 2 } } });
    expect(dryRun.data.totals).toEqual({ received: 2, created: 0, updated: 0, unchanged: 2, failed: 0 });
    expect(page.data.items).toMatchObject([{ priok: '1', diff_start_ms: 3_600_000 }, { priok: '2' }]);
  });

  it('open, list and end a session, in the authentication guide', async () => {
    const heading = '## A session from sign-in to sign-out';
    const [sessions, signedOut, form, ...rest] = await paste<any>('docs/how-to/authentication.md', heading);
    expect(rest).toEqual([]);
    const own = { current: true, scopes: ['read:tours', 'write:workspaces'] };
    expect(sessions.data.items).toMatchObject([own]);
    expect(signedOut).toMatchObject({ status: 200, message: 'The session has ended' });
    expect(form).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'api' });
  });

  it('give access to members and API keys, in the guide to access', async () => {
    const [changed, rejected, ...rest] = await paste<any>('docs/how-to/access.md', '## Choose the role of a member');
    expect(rest).toEqual([]);
    expect(changed.data.memberships).toMatchObject([{ role: 'editor' }]);
    expect(rejected).toMatchObject({ status: 409, error: 'last_owner' });
    const [listed, rotated, revoked, ...others] = await paste<any>('docs/how-to/access.md', '## Issue an API key');
    expect(others).toEqual([]);
    expect(listed.data.items[0]).toMatchObject({ name: 'BI export', scopes: ['read:workspaces'] });
    expect(rotated.data).toMatchObject({ apiKey: expect.stringMatching(/^wsk_/), formerSecrets: [{}] });
    expect(revoked.data).toMatchObject({ status: 'revoked' });
  });

  it('restrict members and API keys, and read the audit log, in the guide to access', async () => {
    const heading = '## Restrict access to tables, rows and columns';
    const [member, contractor, lists, rejected, ...rest] = await paste<any>('docs/how-to/access.md', heading);
    expect(rest).toEqual([]);
    expect(member.data.memberships).toMatchObject([{ role: 'editor', policyId: expect.any(String) }]);
    expect(contractor.data.items).toHaveLength(1);
    expect(contractor.data.items[0]).not.toHaveProperty('weight');
    expect(lists.data.items).toHaveLength(2);
    expect(rejected).toMatchObject({ status: 404, error: 'not_found' });
    const clients = await paste<any>('docs/how-to/access.md', '## Restrict a client');
    const [listed, restricted, released, ...others] = clients;
    expect(others).toEqual([]);
    expect(listed.data.items).toHaveLength(2);
    expect(restricted.data).toMatchObject({ policyId: expect.any(String) });
    expect(released.data).toMatchObject({ id: restricted.data.id, policyId: null });
    const [webhook, ...further] = await paste<any>('docs/how-to/access.md', '## Restrict a webhook');
    expect(further).toEqual([]);
    expect(webhook.data).toMatchObject({
      status: 'disabled',
      events: ['note.*', 'table.*'],
      policyId: null,
      version: 2,
    });
    const [newest, rejections, ...loads] = await paste<any>('docs/how-to/access.md', '## Read the audit log');
    expect(newest.data.items).toHaveLength(5);
    expect(rejections.data.items).toEqual(expect.any(Array));
    expect(loads.map(({ kind }: { kind: string }) => kind)).toContain('load_stored');
  });

  it('create, change, archive and restore a record, in the records guide', async () => {
    const heading = '## A record from creation to restore';
    const replies = await paste<any>('docs/reference/records.md', heading);
    const [repeated, bulk, found, changed, outdated, notModified, archived, rejected, restored, ...rest] = replies;
    expect(rest).toEqual([]);
    expect(repeated).toMatchObject({ status: 200, data: { name: 'Boiler house, phase 2', version: 2 } });
    expect(bulk).toMatchObject({ status: 207, data: { created: 1, failed: 1 } });
    expect(found.data.items).toEqual([{ id: bulk.data.items[0].id, title: 'Ground floor', version: 1 }]);
    expect(changed).toMatchObject({ status: 200, data: { description: 'Before the outage.', version: 3 } });
    expect([outdated.status, notModified]).toEqual([412, 304]);
    expect(archived.data).toMatchObject({ status: 'archived', archivedAt: expect.any(String) });
    expect(rejected).toMatchObject({ status: 409, details: { errors: [{ field: 'projectId' }] } });
    expect(restored.data).toMatchObject({ status: 'active', counts: { tours: 1 } });
  });

  it('claim, render and complete a virtual staging, in the guide for renderers', async () => {
    const heading = '## A renderer in twenty lines';
    const [created, claimed, rendered, completed, repeated, ...rest] = await paste<any>(
      'docs/how-to/virtual-staging.md',
      heading,
    );
    expect(rest).toEqual([]);
    expect(created).toMatchObject({ status: 201, data: { status: 'queued' } });
    expect(claimed.data).toMatchObject({ id: created.data.id, status: 'processing', progress: 40 });
    expect(rendered.data.variations).toMatchObject([{ label: 'Warm oak', contentType: 'image/png' }]);
    expect(completed.data).toMatchObject({ status: 'succeeded', progress: 100 });
    expect([repeated.status, repeated.error, repeated.message]).toEqual([
      409,
      'already_finished',
      expect.stringContaining('succeeded'),
    ]);
  });

  it('create, extend, change and find a note, in the notes guide', async () => {
    const heading = '## A note from creation to closing';
    const [first, repeated, message, changed, outdated, found, feed, ...rest] = await paste<any>(
      'docs/reference/notes.md',
      heading,
    );
    expect(rest).toEqual([]);
    expect(first).toMatchObject({
      status: 201,
      data: { externalId: 'SAP-10004711', files: [{ filename: 'hall.png' }] },
    });
    expect(repeated).toEqual(first);
    expect(message).toMatchObject({ status: 201, data: { description: 'The seal is worn out.' } });
    expect(changed.data).toMatchObject({
      status: 'resolved',
      customFields: { shift: 'night' },
      closedAt: expect.any(String),
    });
    expect(outdated).toMatchObject({ status: 412 });
    expect(found.data.items).toMatchObject([{ title: 'Leak at the feed pump', messageCount: 1 }]);
    expect(feed.data.items.map(({ kind }: { kind: string }) => kind)).toEqual(
      expect.arrayContaining(['created', 'message']),
    );
  });

  it('query and import a table, in the guide to getting started', async () => {
    const heading = '## Query and import a table';
    const [created, imported, found, changed, help, ...rest] = await paste<any>(
      'docs/tutorials/getting-started.md',
      heading,
    );
    expect(rest).toEqual([]);
    expect(created).toMatchObject({ status: 201, data: { tables: [{ tableCreated: true }] } });
    expect(imported).toMatchObject({ status: 200, data: { totals: { received: 2, created: 2 } } });
    expect(found.data.items).toMatchObject([{ equnr: '1002', name: 'Boiler, steam', weight: 5200 }]);
    expect(changed).toMatchObject({ status: 200, data: { item: { equnr: '1001', name: 'Feed pump', weight: 182 } } });
    expect(help).toEqual({ link: `${home.baseUrl}/guide/errors#invalid_request` });
  });

  it('create, query, change, rename, delete and follow rows, in the guide to tables', async () => {
    const heading = '## A table from its columns to its changes';
    const replies = await paste<any>('docs/how-to/tables.md', heading);
    const [created, index, found, changed, renamed, deleted, changes, ...others] = replies;
    const [first, second, dropped, ...rest] = others;
    expect(rest).toEqual([]);
    expect(created).toMatchObject({ status: 201, data: { totals: { created: 3 } } });
    expect([200, 201, 202]).toContain(index.status);
    expect(found.data.items).toEqual([
      { equnr: 'P-1', weight: 180.5 },
      { equnr: 'P-2', weight: 176 },
    ]);
    expect(changed).toMatchObject({ status: 200, data: { item: { weight: 181 } } });
    expect(renamed).toMatchObject({ status: 200, data: { key: 'P-20', previousKey: 'P-2' } });
    expect(deleted).toMatchObject({ status: 200, data: { totals: { received: 1, deleted: 1 } } });
    expect(JSON.stringify(changes.data)).toContain('P-3');
    expect([first.equnr, second.equnr].sort()).toEqual(['P-1', 'P-20']);
    expect(dropped.status).toBe(200);
  });

  it('search the demo workspace with a typing error', async () => {
    const { apiKey, workspaceId } = JSON.parse(
      readFileSync(join(home.path, '.data/demo-credentials.json'), 'utf8'),
    ) as Record<'apiKey' | 'workspaceId', string>;
    const path = `/v2/api/workspaces/${workspaceId}/search?q=pump`;
    // The first search takes at most two seconds to index the demo.
    await until(async () => (await new Api(home.baseUrl).withKey(apiKey).get(path)).body.data.isCurrent as boolean);
    const [found] = await paste<any>('docs/reference/search.md', '# Search');
    expect(found.data.groups[0].items[0]).toMatchObject({ title: 'Cooling water pump 1', isMistyped: true });
  });

  it('read the past of a table and restore rows, in the guide to the history', async () => {
    const heading = '## From a wrong value to its restoration';
    const replies = await paste<any>('docs/how-to/history.md', heading);
    const [history, former, page, ...others] = replies;
    expect(history.data.items).toMatchObject([
      { revision: 2, change: 'updated', columns: { weight: { from: 180.5, to: 1805 } }, by: expect.any(String) },
      { revision: 1, change: 'created' },
    ]);
    expect(former.data).toMatchObject({ revision: 1, item: { equnr: 'P-1', weight: 180.5 } });
    const first = [{ equnr: 'P-1', weight: 180.5 }, { equnr: 'P-2' }];
    expect(page.data.items).toMatchObject(first);
    const [update, deletion, creation, summary, dryRun, restored, ...more] = others;
    expect([update, deletion, creation].map(({ change, key }) => [change, key])).toEqual([
      ['update', 'P-1'],
      ['delete', 'P-2'],
      ['create', 'P-9'],
    ]);
    expect(summary).toEqual({ summary: { create: 1, update: 1, delete: 1 } });
    expect(dryRun).toMatchObject({ status: 200, data: { totals: { created: 1, updated: 1, deleted: 1 } } });
    expect(restored.data.items).toMatchObject(first);
    const [undone, edited, dropped, ...rest] = more;
    expect(rest).toEqual([]);
    expect(undone.status).toBe(200);
    expect(edited.data.options).toEqual({ historyDays: 365 });
    expect(dropped.status).toBe(200);
  });

  it('organize, group and change notes, in the guide to notes as work', async () => {
    const heading = '# Organizing work with notes';
    const [fields, types, created, ...others] = await paste<any>('docs/how-to/organizing-work.md', heading);
    expect(fields.data.fields.map(({ key }: { key: string }) => key)).toEqual([
      'priority',
      'category',
      'workCenter',
      'downtime',
    ]);
    expect(types.data.types.map(({ key }: { key: string }) => key)).toEqual(['note', 'defect']);
    expect(created).toMatchObject({ status: 201, data: { received: 2, created: 2 } });
    const [listed, filtered, groups, dryRun, changed, rejected, ...rest] = others;
    expect(rest).toEqual([]);
    expect(listed.data.items).toHaveLength(2);
    expect(filtered.data.items).toContainEqual({ title: 'Bearing is hot' });
    expect(groups.data.items).toContainEqual({
      group: { workCenter: 'ELEC', status: 'open' },
      measures: { count: 1, 'sum(downtime)': null },
    });
    expect(dryRun.data).toMatchObject({ matched: 2, changed: 2, dryRun: true });
    expect(changed.data).toMatchObject({ matched: 2, changed: 2, dryRun: false });
    expect(rejected).toMatchObject({ status: 422, error: 'invalid_items' });
  });

  it('validate, import and read an import, in the guide to imports', async () => {
    const heading = '## An import from the table to its record';
    const [created, dryRun, imported, record, ...rest] = await paste<any>('docs/how-to/importing.md', heading);
    expect(rest).toEqual([]);
    expect(created.status).toBe(201);
    expect(dryRun).toMatchObject({ status: 207, message: 'Dry run: nothing was stored; 1 row could not be' });
    expect(imported).toMatchObject({ status: 207, data: { totals: { received: 3, created: 2, failed: 1 } } });
    expect(imported.data.errors).toMatchObject([{ line: 4, column: 'weight', code: 'type_mismatch' }]);
    expect(record).toMatchObject({ status: 200, data: { status: 'succeeded' } });
  });

  it('replace a table by a file, import two tables and compare, in the guide to imports', async () => {
    const file = 'docs/how-to/importing.md';
    const [created, dryRun, replaced, ...others] = await paste<any>(file, '## Make a table equal to a file');
    expect(created).toMatchObject({ status: 201, data: { totals: { created: 3 } } });
    expect(dryRun.data).toMatchObject({
      totals: { updated: 1, unchanged: 1, deleted: 1 },
      tables: [{ guard: { limit: 1, deletions: 1, exceeded: false } }],
    });
    expect(replaced.data.totals).toMatchObject({ updated: 1, unchanged: 1, deleted: 1 });
    const [imported, ...more] = await paste<any>(file, '## Import several tables at once');
    expect(imported).toMatchObject({ status: 201, data: { totals: { created: 2 } } });
    const differences = await paste<any>(file, '## Compare before you replace');
    expect(differences).toMatchObject([
      { change: 'delete', key: '1002' },
      { change: 'create', key: '1004' },
      { summary: { create: 1, update: 0, delete: 1, unchanged: 1, error: 0 } },
    ]);
    expect([...others, ...more]).toEqual([]);
  });

  it('read events and subscribe to them, in the guide to events', async () => {
    const [page, ...others] = await paste<any>('docs/reference/events.md', '## Read');
    expect(page.data.events.map(({ type }: { type: string }) => type)).toContain('table.rows_changed');
    const [subscription, ...rest] = await paste<any>('docs/reference/events.md', '## Subscribe');
    expect(subscription).toMatchObject({ status: 201, data: { secret: expect.stringMatching(/^whsec_/) } });
    expect([...others, ...rest]).toEqual([]);
  });

  it('synchronize locations, equipment, deltas, deletions and photos, in the recipes', async () => {
    const file = 'docs/how-to/synchronizing.md';
    const [stored, unresolved, ...others] = await paste<any>(file, '## Functional locations and equipment');
    expect(stored).toMatchObject({ status: 201, data: { totals: { received: 4, created: 4 } } });
    expect(JSON.stringify(unresolved.data)).toContain('AT10-PKG');
    const [delta, repeated, ...more] = await paste<any>(file, '## Nightly delta');
    expect(delta).toMatchObject({ status: 200, data: { totals: { updated: 1 } } });
    expect(repeated).toEqual(delta);
    const [imported, deleted, ...further] = await paste<any>(file, '## Full replace');
    expect(imported).toMatchObject({ status: 200, data: { totals: { received: 2, created: 1, unchanged: 1 } } });
    expect(deleted).toMatchObject({ status: 200, data: { totals: { received: 1, deleted: 1 } } });
    const [note, found, ...rest] = await paste<any>(file, '## Photos');
    expect(note).toMatchObject({
      status: 201,
      data: { asset: { key: '000000000010004711' }, files: [{ filename: 'photo.png' }] },
    });
    expect(found.data.items).toMatchObject([{ externalId: 'PHOTO-10004711-1' }]);
    expect([...others, ...more, ...further, ...rest]).toEqual([]);
  });

  const LANGUAGES_GUIDE = 'docs/how-to/languages.md';

  /** Runs the blocks of a language as one program, with a table of its own. @returns what it prints */
  async function runProgram(language: string, { name, command, toArguments }: Language): Promise<string> {
    const text = readFileSync(join(ROOT, LANGUAGES_GUIDE), 'utf8');
    const blocks = [...text.matchAll(RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
      ([, block]) => block!,
    );
    if (language === 'sh') executed.push(...blocks);
    const folder = mkdtempSync(join(tmpdir(), 'atrium-language-'));
    const file = join(folder, name);
    const program = blocks.join('\n').replaceAll('Pumps', `Pumps_${language}`).replace("'@atrium/client'", CLIENT);
    writeFileSync(file, program);
    try {
      const { stdout } = await promisify(execFile)(command, await toArguments(file), { cwd: home.path });
      return stdout;
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it.each(Object.entries(LANGUAGES))('in %s make the five main calls', async (language, definition) => {
    if (spawnSync(definition.command, ['--version']).error) {
      process.stderr.write(`The guide to languages: skipped ${language}: no ${definition.command} here\n`);
      return;
    }
    expect(await runProgram(language, definition)).toBe('3\nP-2 P-1\n3\n1\n');
  });

  /** Runs the commands of the operator below the heading, with values for the words that only the reader knows. */
  async function operate(document: string, heading: string, values: Record<string, string> = {}): Promise<string> {
    const block = blockBelow(document, heading);
    executed.push(block);
    const commands = Object.entries(values).reduce((text, [word, value]) => text.replaceAll(word, value), block);
    const env = { ...process.env, DATA_DIR: join(home.path, '.data'), PORT: String(home.port), DATABASE_URL: '' };
    const { stdout } = await promisify(execFile)('bash', ['-ec', commands], { cwd: ROOT, env });
    return stdout;
  }

  it('of the README prepare a workspace with the operator CLI', async () => {
    expect(await operate('README.md', '## For operators')).toContain('vienna-works');
    expect(await operate('docs/how-to/operating.md', '## Issue API keys')).toMatch(/wsk_/);
  }, 240_000);

  it('of the guide to operating list and disable a subscription and unblock an address', async () => {
    const demo = JSON.parse(readFileSync(join(home.path, '.data/demo-credentials.json'), 'utf8')) as Demo;
    const path = `${home.baseUrl}/v2/api/workspaces/${demo.workspaceId}/subscriptions`;
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'X-API-Key': demo.apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: 'https://example.com/operated', events: ['*'] }),
    });
    const { data } = (await response.json()) as { data: { id: string } };
    const output = await operate('docs/how-to/operating.md', '## Deliver events', { SUBSCRIPTION_ID: data.id });
    // The list wraps a URL if another subscription fails meanwhile, because that makes another column wider.
    expect(output).toMatch(new RegExp(`^${data.id} +https://`, 'm'));
    const read = async () => (await fetch(`${path}/${data.id}`, { headers: { 'X-API-Key': demo.apiKey } })).json();
    expect(await read()).toMatchObject({ data: { status: 'disabled' } });
    expect(await operate('docs/how-to/operating.md', '## Set rate limits')).toMatch(/203\.0\.113\.7/);
  }, 240_000);

  it('of the command line sign in, import a file, export rows, change some and send any request', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-npx-'));
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'equipment.csv'), 'Number,Name,Weight\nP-1,Feed pump,180\nP-2,Sump pump,40\n');
    const headings = ['# Command line', '## Rows', '## Any request', '## Queries', '## History'];
    const blocks = headings.map((heading) => blockBelow('docs/reference/command-line.md', heading));
    executed.push(...blocks);
    const commands = blocks.join('').replace('http://localhost:3000', home.baseUrl);
    const env = { ...process.env, XDG_CONFIG_HOME: folder };
    const { stdout } = await promisify(execFile)('bash', ['-ec', commands], { cwd: folder, env });
    expect(stdout).toContain('Renamed P-3 to P-4');
    expect(stdout).toMatch(/ updated .* weight: 40 → 4000/);
    expect(stdout).toContain('~ P-2  weight: 40 → 4000');
    expect(stdout).toMatch(/Restored 1 rows as batch /);
    expect(stdout).toMatch(/^HTTP\/1\.1 201 Created$/m);
    expect(readFileSync(join(folder, 'heavy.csv'), 'utf8')).toMatch(/^number,name,weight\r?\nP-1,Feed pump,180\r?\n$/);
    rmSync(folder, { recursive: true });
  }, 240_000);

  it('of the command line install it from the instance', async () => {
    const block = blockBelow('docs/reference/command-line.md', '## Install');
    executed.push(block);
    const folder = mkdtempSync(join(tmpdir(), 'atrium-install-'));
    const commands = `${block.replace('http://localhost:3000', home.baseUrl)}atrium --version`;
    const env = { ...process.env, HOME: folder, PATH: `${folder}/.local/bin:${process.env['PATH']!}` };
    const { stdout } = await promisify(execFile)('bash', ['-ec', commands], { cwd: folder, env });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    rmSync(folder, { recursive: true });
  });

  it('are all executed, here or by another suite', () => {
    const blocks = MARKDOWN_FILES.flatMap((document) => {
      const text = readFileSync(join(ROOT, document), 'utf8');
      const found = text.matchAll(/^```(?:sh|bash|shell|console)[^\n]*\n([\s\S]*?)^```/gm);
      return [...found].map(([, block]) => ({ document, block: block! }));
    });
    const isExecuted = ({ document, block }: { document: string; block: string }) =>
      executed.includes(block) || ELSEWHERE.some(([path, start]) => document === path && block.startsWith(start));
    expect(blocks.filter((block) => !isExecuted(block))).toEqual([]);
    expect(ELSEWHERE.filter(([, , suite]) => !existsSync(join(ROOT, suite)))).toEqual([]);
  });
});

async function bundle(file: string): Promise<string[]> {
  const bundled = file.replace(/ts$/, 'mjs');
  const rolldown = join(ROOT, 'node_modules/rolldown/bin/cli.mjs');
  await promisify(execFile)(process.execPath, [rolldown, file, '--platform=node', `--file=${bundled}`], { cwd: ROOT });
  return [bundled];
}

/** Documents, how their blocks start, and the suites that execute these blocks or what they call. */
const ELSEWHERE: readonly [document: string, start: string, suite: string][] = [
  ['docs/how-to/adding-a-field.md', '', 'test/nightly/extending.spec.ts'],
  ['docs/how-to/extending.md', '', 'test/nightly/extending.spec.ts'],
  ['docs/how-to/operating.md', 'npm ci --include=dev', 'test/architecture/production-install.spec.ts'],
  ...['tar ', 'mkdir -p "$DATA_DIR"', 'pg_dump ', 'pg_restore '].map((start): [string, string, string] => [
    'docs/how-to/operating.md',
    start,
    'test/nightly/backup.spec.ts',
  ]),
  ['docs/how-to/identity-providers.md', '', 'test/e2e/trusted-issuers.e2e-spec.ts'],
  ['docs/how-to/provisioning.md', '', 'test/e2e/scim.e2e-spec.ts'],
  ['docs/how-to/running-every-night.md', '', 'test/e2e/command-line-sync.e2e-spec.ts'],
  // Commands of the tests themselves, with numbers for a long run by hand.
  ['docs/how-to/testing.md', '', 'test/run/nightly.mjs'],
  ['docs/tutorials/sap-export.md', '', 'test/e2e/sap-export.e2e-spec.ts'],
  ['clients/typescript/README.md', 'npm install http', 'test/e2e/downloads.e2e-spec.ts'],
  ['examples/README.md', 'npm run example', 'test/e2e/example.e2e-spec.ts'],
  ['examples/receiver/README.md', 'ATRIUM_URL=', 'test/nightly/receiver.spec.ts'],
];

interface Demo {
  workspaceId: string;
  clientId: string;
  clientSecret: string;
  apiKey: string;
}

/** The first shell block below the heading. */
function blockBelow(document: string, heading: string): string {
  const text = `\n${readFileSync(join(ROOT, document), 'utf8')}`;
  expect(text).toContain(`\n${heading}\n`);
  return /```sh\n([\s\S]*?)```/.exec(text.slice(text.indexOf(`\n${heading}\n`)))![1]!;
}

/** JSON values in one or several lines each. */
function parseValues(text: string): unknown[] {
  expect(text).toMatch(/\n$/);
  const values: unknown[] = [];
  let collected = '';
  for (const line of text.trimEnd().split('\n')) {
    collected += `${line}\n`;
    try {
      values.push(JSON.parse(collected));
      collected = '';
    } catch {
      // The value continues on the next line.
    }
  }
  expect(collected).toBe('');
  return values;
}
