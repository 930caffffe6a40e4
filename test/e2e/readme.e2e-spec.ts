import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Home } from '../support/home.js';
import { ROOT } from '../support/service.js';

interface ReplyBody {
  status: number;
  data: { hasMore: boolean; items: unknown[]; total: number; totals: Record<string, number> };
  details: { errors: { index: number; column: string; code: string }[] };
}

/** Runs the shell commands of the documents in a shell, with a service on its own new PostgreSQL. */
describe('commands of the documents', () => {
  let home: Home;

  beforeAll(async () => {
    home = await Home.make();
    await home.start();
  });

  afterAll(async () => {
    await home.stop();
    home.remove();
  });

  /** Runs the first shell block below the heading. The block prints one JSON response per line. */
  async function paste<T>(document: string, heading: string): Promise<T[]> {
    const text = readFileSync(join(ROOT, document), 'utf8');
    expect(text).toContain(`\n${heading}\n`);
    const block = /```sh\n([\s\S]*?)```/.exec(text.slice(text.indexOf(heading)))![1]!;
    const { stdout } = await promisify(execFile)('bash', ['-c', block], { cwd: home.path });
    expect(stdout).toMatch(/\n$/);
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as T);
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
    const [pushed, dryRun, page, ...rest] = await paste<any>('docs/migrating-from-the-webhook.md', '## How to compare');
    expect(rest).toEqual([]);
    expect(pushed).toMatchObject({ status: 201, data: { totals: { received: 2, created: 2 } } });
    expect(dryRun.data.totals).toEqual({ received: 2, created: 0, updated: 0, unchanged: 2, failed: 0 });
    expect(page.data.items).toMatchObject([{ priok: '1', diff_start_ms: 3_600_000 }, { priok: '2' }]);
  });

  it('open, list and end a session, in the authentication guide', async () => {
    const heading = '## A session from sign-in to sign-out';
    const [sessions, signedOut, form, ...rest] = await paste<any>('docs/authentication.md', heading);
    expect(rest).toEqual([]);
    expect(sessions.data).toMatchObject([{ current: true, scopes: ['read:tours', 'write:workspaces'] }]);
    expect(signedOut).toMatchObject({ status: 200, message: 'The session has ended' });
    expect(form).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'api' });
  });

  it('create, change, archive and restore a record, in the records guide', async () => {
    const heading = '## A record from creation to restore';
    const replies = await paste<any>('docs/records.md', heading);
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
      'docs/virtual-staging.md',
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
      'docs/notes.md',
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
    const files = ['leak.png', 'downloaded.png'].map((name) => readFileSync(join(home.path, name)));
    expect(files[1]).toEqual(files[0]);
  });
});
