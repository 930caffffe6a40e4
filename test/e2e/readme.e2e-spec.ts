import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Home } from '../support/home.js';
import { ROOT } from '../support/service.js';

interface Answer {
  status: number;
  data: { hasMore: boolean; items: unknown[]; total: number; totals: Record<string, number> };
  details: { errors: { index: number; column: string; code: string }[] };
}

/** What the documents say to paste, pasted into a shell beside a service on its own fresh PostgreSQL. */
describe('the documents', () => {
  let home: Home;

  beforeAll(async () => {
    home = await Home.make();
    await home.start();
  });

  afterAll(async () => {
    await home.stop();
    home.remove();
  });

  /** Pastes the first block of shell below the heading, which prints an answer a line. */
  async function paste<T>(document: string, heading: string): Promise<T[]> {
    const text = readFileSync(join(ROOT, document), 'utf8');
    const block = /```sh\n([\s\S]*?)```/.exec(text.slice(text.indexOf(heading)))![1]!;
    const { stdout } = await promisify(execFile)('bash', ['-c', block], { cwd: home.path });
    expect(stdout).toMatch(/\n$/);
    return stdout
      .trim()
      .split('\n')
      .map((answer) => JSON.parse(answer) as T);
  }

  it('take a newcomer from signing in to reading back, in the README', async () => {
    const heading = '## Five minutes with curl';
    const [pushed, refused, page, note, signedOut, ...rest] = await paste<Answer>('README.md', heading);
    expect(rest).toEqual([]);
    expect(pushed).toMatchObject({ status: 201, data: { totals: { received: 3, created: 3 } } });
    expect(refused).toMatchObject({ status: 422 });
    expect(refused!.details.errors).toMatchObject([{ index: 1, column: 'colour', code: 'unknown_column' }]);
    expect(page).toMatchObject({ status: 200, data: { hasMore: true, total: 3 } });
    expect(page!.data.items).toHaveLength(2);
    expect(note).toMatchObject({
      status: 201,
      data: { location: { name: 'Cooling water' }, customFields: { shift: 'night' } },
    });
    expect(signedOut).toMatchObject({ status: 200 });
  });

  it('take a caller of the legacy webhook to the bulk call', async () => {
    const [pushed, tried, page, ...rest] = await paste<any>('docs/migrating-from-the-webhook.md', '## How to compare');
    expect(rest).toEqual([]);
    expect(pushed).toMatchObject({ status: 201, data: { totals: { received: 2, created: 2 } } });
    expect(tried.data.totals).toEqual({ received: 2, created: 0, updated: 0, unchanged: 2, failed: 0 });
    expect(page.data.items).toMatchObject([{ priok: '1', diff_start_ms: 3_600_000 }, { priok: '2' }]);
  });

  it('take a session from beginning to end', async () => {
    const heading = '## A session, from beginning to end';
    const [sessions, signedOut, form, ...rest] = await paste<any>('docs/authentication.md', heading);
    expect(rest).toEqual([]);
    expect(sessions.data).toMatchObject([{ current: true, scopes: ['read:tours', 'write:workspaces'] }]);
    expect(signedOut).toMatchObject({ status: 200, message: 'The session has ended' });
    expect(form).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'api' });
  });

  it('take a record from its creation to its archive, and back', async () => {
    const heading = '## A record, from its creation to its archive';
    const answers = await paste<any>('docs/records.md', heading);
    const [again, bulk, found, changed, outrun, same, archived, refused, restored, ...rest] = answers;
    expect(rest).toEqual([]);
    expect(again).toMatchObject({ status: 200, data: { name: 'Boiler house, phase 2', version: 2 } });
    expect(bulk).toMatchObject({ status: 207, data: { created: 1, failed: 1 } });
    expect(found.data.items).toEqual([{ id: bulk.data.items[0].id, title: 'Ground floor', version: 1 }]);
    expect(changed).toMatchObject({ status: 200, data: { description: 'Before the outage.', version: 3 } });
    expect([outrun.status, same]).toEqual([412, 304]);
    expect(archived.data).toMatchObject({ status: 'archived', archivedAt: expect.any(String) });
    expect(refused).toMatchObject({ status: 409, details: { errors: [{ field: 'projectId' }] } });
    expect(restored.data).toMatchObject({ status: 'active', counts: { tours: 1 } });
  });

  it('take a renderer from its claim to its end', async () => {
    const heading = '## A renderer in twenty lines';
    const [asked, heard, shown, done, again, ...rest] = await paste<any>('docs/virtual-staging.md', heading);
    expect(rest).toEqual([]);
    expect(asked).toMatchObject({ status: 201, data: { status: 'queued' } });
    expect(heard.data).toMatchObject({ id: asked.data.id, status: 'processing', progress: 40 });
    expect(shown.data.variations).toMatchObject([{ label: 'Warm oak', contentType: 'image/png' }]);
    expect(done.data).toMatchObject({ status: 'succeeded', progress: 100 });
    expect([again.status, again.error, again.message]).toEqual([
      409,
      'already_finished',
      expect.stringContaining('succeeded'),
    ]);
  });

  it('take a note from its creation to its end', async () => {
    const heading = '## A note, from its creation to its end';
    const [first, again, message, changed, outrun, found, feed, ...rest] = await paste<any>('docs/notes.md', heading);
    expect(rest).toEqual([]);
    expect(first).toMatchObject({
      status: 201,
      data: { externalId: 'SAP-10004711', files: [{ filename: 'hall.png' }] },
    });
    expect(again).toEqual(first);
    expect(message).toMatchObject({ status: 201, data: { description: 'The seal is worn out.' } });
    expect(changed.data).toMatchObject({
      status: 'resolved',
      customFields: { shift: 'night' },
      closedAt: expect.any(String),
    });
    expect(outrun).toMatchObject({ status: 412 });
    expect(found.data.items).toMatchObject([{ title: 'Leak at the feed pump', messageCount: 1 }]);
    expect(feed.data.items.map(({ kind }: { kind: string }) => kind)).toEqual(
      expect.arrayContaining(['created', 'message']),
    );
    const files = ['leak.png', 'downloaded.png'].map((name) => readFileSync(join(home.path, name)));
    expect(files[1]).toEqual(files[0]);
  });
});
