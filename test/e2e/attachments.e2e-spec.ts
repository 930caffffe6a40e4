import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import contentDisposition from 'content-disposition';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import {
  base64,
  bytesOf,
  download,
  file,
  form,
  localUrl,
  newPicture,
  picture,
  sendForm,
  sha256,
} from '../support/files.js';
import { ObjectStorage } from '../support/object-storage.js';
import { TestDatabase, TestService } from '../support/service.js';
import { manyRows } from '../support/tables.js';
import { until } from '../support/until.js';

describe('attachments', () => {
  let database: TestDatabase;
  /** Two instances that share a storage folder. URLs of the second instance expire after one to two seconds. */
  let service: TestService;
  let other: TestService;
  let store: string;
  let me: Credentials;
  let api: Api;
  let otherApi: Api;
  let anonymous: Api;
  let otherUser: Credentials;

  beforeAll(async () => {
    store = mkdtempSync(join(tmpdir(), 'atrium-files-'));
    database = await TestDatabase.create();
    const settings = { DATA_DIR: store, CLEANUP_INTERVAL_S: '1' };
    service = await TestService.start(database, settings);
    other = await TestService.start(database, { ...settings, ATTACHMENT_URL_TTL_S: '1' });
    [me, otherUser] = await Promise.all([service.provision(), service.provision()]);
    anonymous = new Api(service.baseUrl);
    api = anonymous.withKey(me.apiKey);
    otherApi = anonymous.withKey(otherUser.apiKey);
  });

  afterAll(async () => {
    const output = service.output.join('') + other.output.join('');
    await Promise.all([service?.stop(), other?.stop()]);
    await database?.drop();
    rmSync(store, { recursive: true, force: true });
    expect(output).not.toMatch(/internal_error|unhandled/i);
  });

  const notes = ({ workspaceId }: Credentials) => `/v2/api/workspaces/${workspaceId}/notes`;
  const createNote = async (...files: File[]) => {
    const { status, body } = await sendForm(api, notes(me), form({}, files));
    expect(status).toBe(201);
    return body.data;
  };
  const readAttachment = (id: string, headers: Record<string, string> = {}) =>
    download(`${service.baseUrl}/v1/api/attachments/${id}`, { headers: { ...api.headers, ...headers } });
  const withThumbnail = (id: string) =>
    until(async () => {
      const [found] = (await api.get(`${notes(me)}/${id}`)).body.data.files;
      return found.thumbnailUrl && found;
    });

  describe('unreferenced blobs', () => {
    /** Stores a blob without an attachment: the note is rejected after the upload. */
    const uploadOnly = async (bytes: Buffer) => {
      const rejected = await sendForm(api, notes(me), form({ status: 'no-such-status' }, [file('a.png', bytes)]));
      expect(rejected.status).toBe(422);
    };
    const exists = async (bytes: Buffer) =>
      (await database.query('SELECT FROM blobs WHERE sha256 = $1', [sha256(bytes)])).length === 1;

    it('unreferenced blobs are removed six hours after their upload, not before', async () => {
      const [young, old] = [newPicture(), newPicture()];
      await Promise.all([uploadOnly(young), uploadOnly(old)]);
      for (const [seconds, bytes] of [[6 * 3_600 + 1, old] as const, [5 * 3_600, young] as const])
        await database.query('UPDATE blobs SET touched_at = now() - make_interval(secs => $1) WHERE sha256 = $2', [
          seconds,
          sha256(bytes),
        ]);
      await until(async () => !(await exists(old)));
      expect(await exists(young)).toBe(true);
    });
  });

  describe('signed URLs', () => {
    let mine: any;
    let url: string;
    const bytes = Buffer.concat([bytesOf('picture.png'), Buffer.from('<script>alert(document.domain)</script>')]);

    beforeAll(async () => {
      const { id } = await createNote(file('Pläne 図.png', bytes));
      mine = await withThumbnail(id);
      url = localUrl(service, mine.url);
    });

    it('signed URLs need no credentials, and ignore invalid ones', async () => {
      for (const headers of [{}, otherApi.headers, { 'X-API-Key': 'nonsense' }]) {
        const answer = await download(url, { headers });
        expect([answer.status, sha256(answer.bytes)]).toEqual([200, sha256(bytes)]);
      }
      const small = await download(localUrl(service, mine.thumbnailUrl));
      expect([small.status, small.headers.get('content-type')]).toEqual([200, 'image/webp']);
    });

    it('signed URLs return 403 url_expired after their expiry', async () => {
      const seen = (await new Api(other.baseUrl).withKey(me.apiKey).get(`/v1/api/attachments/${mine.id}`)).status;
      expect(seen).toBe(200);
      const { items } = (await new Api(other.baseUrl).withKey(me.apiKey).get(`${notes(me)}?limit=500`)).body.data;
      const brief = items.flatMap(({ files }: any) => files).find(({ id }: any) => id === mine.id);
      const ends = Date.parse(brief.urlExpiresAt);
      expect(new URL(brief.url).searchParams.get('expires')).toBe(String(ends / 1000));
      await delay(ends - Date.now() + 10);
      for (const ended of [brief.url, brief.thumbnailUrl])
        for (const instance of [service, other]) {
          const { status, body } = await new Api(localUrl(instance, ended)).get('');
          expect([status, body.error]).toEqual([403, 'url_expired']);
        }
      // Other URLs of the same file remain valid.
      expect((await download(url)).status).toBe(200);
      expect((await readAttachment(mine.id)).status).toBe(200);
    });

    it('a repeated request returns URLs that have not expired, and all else as in the first response', async () => {
      const caller = new Api(other.baseUrl).withKey(me.apiKey);
      // A caller cannot get a URL signed by writing it into a field.
      const customFields = { id: mine.id, url: mine.url, sha256: 'x', size: '1' };
      const body = { title: 'Repeated', customFields, files: [base64('picture.png')] };
      const headers = { 'Idempotency-Key': `urls-${Date.now()}` };
      const first = await caller.post(notes(me), body, headers);
      const [before] = first.body.data.files;
      await delay(Date.parse(before.urlExpiresAt) - Date.now() + 10);
      expect((await new Api(localUrl(other, before.url)).get('')).status).toBe(403);
      // A URL may expire before a busy machine requests it.
      const again = await until(async () => {
        const answer = await caller.post(notes(me), body, headers);
        expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
        const isValid = (await new Api(localUrl(other, answer.body.data.files[0].url)).get('')).status === 200;
        return isValid && answer;
      });
      const [after] = again.body.data.files;
      expect(Date.parse(after.urlExpiresAt)).toBeGreaterThan(Date.parse(before.urlExpiresAt));
      const { url, thumbnailUrl, urlExpiresAt } = before;
      const files = [{ ...after, url, thumbnailUrl, urlExpiresAt }];
      expect({ ...again.body, data: { ...again.body.data, files } }).toEqual(first.body);
    });

    it('signed URLs return 403 if any part was changed, whether or not the other file exists', async () => {
      const { body } = await sendForm(otherApi, notes(otherUser), form({}, [file('x.png', newPicture())]));
      const theirs = body.data.files[0];
      const signature = new URL(mine.url).searchParams.get('signature')!;
      const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
      const changes: [string, (to: URL) => void][] = [
        ['signature', (to) => to.searchParams.set('signature', flipped)],
        ['truncated signature', (to) => to.searchParams.set('signature', signature.slice(0, 20))],
        ['empty signature', (to) => to.searchParams.set('signature', '')],
        ['expires', (to) => to.searchParams.set('expires', String(Number(to.searchParams.get('expires')) + 1))],
        ['expires in another notation', (to) => to.searchParams.set('expires', '9e15')],
        ['ID', (to) => (to.pathname = to.pathname.replace(mine.id, theirs.id))],
        ['variant', (to) => (to.pathname += '/thumbnail')],
        ['signature of another file', (to) => (to.search = new URL(theirs.url).search)],
      ];
      for (const [what, change] of changes) {
        const to = new URL(url);
        change(to);
        const answer = await new Api(to.href).get('');
        expect([what, answer.status, answer.body.error]).toEqual([what, 403, 'invalid_signature']);
      }
      // With credentials, a file of another workspace is 404.
      expect((await readAttachment(theirs.id)).status).toBe(404);
      expect((await readAttachment(`${theirs.id}/thumbnail`)).status).toBe(404);
    });

    it('signed URLs have exactly one valid spelling', async () => {
      const { expires, signature } = Object.fromEntries(new URL(url).searchParams) as Record<string, string>;
      const bare = url.slice(0, url.indexOf('?'));
      const last = signature!.at(-1)!;
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      // 32 bytes have 43 characters, of which the last has two bits that decode to nothing.
      const sameBytes = signature!.slice(0, -1) + alphabet[alphabet.indexOf(last) ^ 1]!;
      expect(Buffer.from(sameBytes, 'base64url')).toEqual(Buffer.from(signature!, 'base64url'));
      const spellings = [
        `${bare}?expires=${expires}&signature=${sameBytes}`,
        `${bare}?expires=${expires}&signature=${signature}=`,
        `${bare}?expires=${expires}&signature=${signature}%3D`,
        `${bare}?expires=${expires}&signature=${signature}%20`,
        `${bare}?expires=${expires}&signature=%${signature!.charCodeAt(0).toString(16)}${signature!.slice(1)}`,
        `${bare}?expires=0${expires}&signature=${signature}`,
        `${bare}?expires=+${expires}&signature=${signature}`,
        `${bare}?expires=${expires}.0&signature=${signature}`,
        `${bare}?expires=${expires}&expires=${expires}&signature=${signature}`,
        `${bare}?expires=${expires}&signature=${signature}&signature=${signature}`,
        `${bare}?expires=1&expires=${expires}&signature=${signature}`,
        `${bare}?expires[]=${expires}&signature=${signature}`,
        `${bare}?signature=${signature}&expires=${expires}`,
        `${bare}?Expires=${expires}&Signature=${signature}`,
        `${url}&v=1`,
        `${url}&`,
        `${bare}?path=${new URL(url).pathname}${new URL(url).search}`,
        `${bare}?&expires=${expires}&signature=${signature}`,
        `${bare}?expires=${expires}`,
        `${bare}?signature=${signature}`,
        bare,
        url.replace(mine.id, mine.id.toUpperCase()),
      ];
      for (const spelling of spellings) {
        const answer = await new Api(spelling).get('');
        expect([spelling, answer.status, answer.body.error]).toEqual([spelling, 403, 'invalid_signature']);
      }
      for (const path of [url.replace('/public/', '/PUBLIC/'), url.replace('/attachments/', '/%61ttachments/')])
        expect((await download(path)).status).toBeGreaterThanOrEqual(403);
      expect((await download(url)).status).toBe(200);
      expect((await download(url, { headers: { Range: 'bytes=0-0' } })).status).toBe(206);
    });

    it('signed URLs return downloads that no browser executes, whatever the content', async () => {
      for (const each of [
        await download(url),
        await readAttachment(mine.id),
        await readAttachment(`${mine.id}/thumbnail`),
      ]) {
        expect(each.headers.get('x-content-type-options')).toBe('nosniff');
        expect(each.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
        expect(contentDisposition.parse(each.headers.get('content-disposition')!).type).toBe('attachment');
        expect(each.headers.get('content-type')).toMatch(/^image\/(png|webp)$/);
      }
      const { headers } = await download(url);
      const { parameters } = contentDisposition.parse(headers.get('content-disposition')!);
      expect(parameters['filename']).toBe('Pläne 図.png');
      expect(headers.get('cache-control')).toMatch(/^private, max-age=\d+, immutable$/);
    });
  });

  describe('range requests', () => {
    let id: string;
    let size: number;
    const bytes = newPicture(5_000);
    const tag = `"${sha256(bytes)}"`;

    beforeAll(async () => {
      const note = await createNote(file('a.png', bytes));
      ({ id, size } = note.files[0]);
      await withThumbnail(note.id);
    });

    it.each<[string, number, () => Buffer]>([
      ['bytes=0-0', 206, () => bytes.subarray(0, 1)],
      ['bytes=4999-', 206, () => bytes.subarray(-1)],
      ['bytes=-1', 206, () => bytes.subarray(-1)],
      ['bytes=100-199', 206, () => bytes.subarray(100, 200)],
      ['bytes=0-9,20-29', 200, () => bytes],
      ['bytes=9-0', 416, () => Buffer.alloc(0)],
      ['bytes=5000-', 416, () => Buffer.alloc(0)],
      ['bytes=-0', 416, () => Buffer.alloc(0)],
      ['bytes=99999999999999999999-', 416, () => Buffer.alloc(0)],
    ])('the range request %s returns %i', async (Range, status, part) => {
      const answer = await readAttachment(id, { Range });
      expect([answer.status, answer.headers.get('accept-ranges')]).toEqual([status, status === 416 ? null : 'bytes']);
      if (status === 416) {
        expect(answer.headers.get('content-range')).toBe(`bytes */${size}`);
        return;
      }
      expect(answer.bytes).toEqual(part());
      expect(answer.headers.get('content-length')).toBe(String(part().length));
      if (status === 206) {
        const [, start, end] = /^bytes (\d+)-(\d+)\/5000$/.exec(answer.headers.get('content-range')!)!;
        expect(bytes.subarray(Number(start), Number(end) + 1)).toEqual(part());
      }
    });

    // RFC 9110, section 14.1.2.
    it('range requests return the whole file if the suffix is longer than the file', async () => {
      const answer = await readAttachment(id, { Range: 'bytes=-999999' });
      expect([answer.status, answer.bytes]).toEqual([206, bytes]);
    });

    it.each<[string, (at: number) => string]>([
      ['separate', (at) => `${at * 4}-${at * 4}`],
      ['overlapping', () => '0-'],
    ])('range requests return the file at most once for a thousand %s ranges', async (_, range) => {
      const Range = `bytes=${manyRows(1_000, range).join()}`;
      const answer = await readAttachment(id, { Range });
      expect([200, 206]).toContain(answer.status);
      expect(answer.bytes).toEqual(bytes);
    });

    it('range requests return the whole file if If-Range does not match', async () => {
      const Range = 'bytes=0-9';
      expect((await readAttachment(id, { Range, 'If-Range': tag })).bytes).toEqual(bytes.subarray(0, 10));
      for (const known of ['"other"', `W/${tag}`, 'Sat, 21 Nov 2026 10:00:00 GMT']) {
        const whole = await readAttachment(id, { Range, 'If-Range': known });
        expect([whole.status, whole.bytes.length]).toEqual([200, size]);
      }
    });

    it('returns 304 for a file if If-None-Match matches, also with a range', async () => {
      for (const known of [tag, `"x", ${tag}`, `W/${tag}`, '*']) {
        const answer = await readAttachment(id, { 'If-None-Match': known });
        expect([known, answer.status, answer.bytes.length]).toEqual([known, 304, 0]);
        expect(answer.headers.get('etag')).toBe(tag);
      }
      expect((await readAttachment(id, { 'If-None-Match': '"x"' })).status).toBe(200);
      // If-None-Match precedes Range (RFC 9110, section 13.2.2).
      expect((await readAttachment(id, { 'If-None-Match': tag, Range: 'bytes=0-9' })).status).toBe(304);
    });

    it('HEAD of a file returns the headers of GET', async () => {
      const url = `${service.baseUrl}/v1/api/attachments/${id}`;
      for (const path of [url, `${url}/thumbnail`]) {
        const [head, get] = await Promise.all(
          ['HEAD', 'GET'].map((method) => download(path, { method, headers: api.headers })),
        );
        expect([head!.status, head!.bytes.length]).toEqual([200, 0]);
        for (const name of ['content-length', 'content-type', 'etag', 'content-disposition', 'accept-ranges'])
          expect([name, head!.headers.get(name)]).toEqual([name, get!.headers.get(name)]);
      }
    });

    it('range requests work for thumbnails, which have their own ETag', async () => {
      const whole = await readAttachment(`${id}/thumbnail`);
      const part = await readAttachment(`${id}/thumbnail`, { Range: 'bytes=4-' });
      expect([part.status, part.bytes]).toEqual([206, whole.bytes.subarray(4)]);
      const etag = whole.headers.get('etag')!;
      expect(etag).not.toBe(tag);
      expect((await readAttachment(`${id}/thumbnail`, { 'If-None-Match': etag })).status).toBe(304);
    });
  });

  describe('a stored file with another size than recorded', () => {
    it.each([
      ['shorter', 20_000],
      ['empty', 0],
      ['longer', 400_000],
    ])('a download whose stored file is %s ends with an error, whole and by range', async (_, size) => {
      const bytes = newPicture(300_000);
      const { files } = await createNote(file('a.png', bytes));
      const hash = sha256(bytes);
      const path = join(store, 'files', me.workspaceId, 'files', hash.slice(0, 2), hash);
      truncateSync(path, size);
      const url = localUrl(service, files[0].url);
      for (const headers of [undefined, { Range: 'bytes=0-299999' }, { Range: 'bytes=100000-' }]) {
        // Ranges within a longer file are complete.
        if (size > bytes.length && headers) continue;
        await expect(download(url, { headers, signal: AbortSignal.timeout(20_000) })).rejects.toThrow(
          /terminated|fetch failed/,
        );
      }
      expect((await readAttachment(files[0].id, { Range: 'bytes=0-9' }).catch(() => undefined))?.status).toBe(
        size === 0 ? undefined : 206,
      );
    });
  });

  describe('concurrent uploads of the same bytes', () => {
    it('concurrent uploads of the same bytes store one blob per workspace, which other workspaces cannot detect', async () => {
      const bytes = newPicture(50_000);
      const instances = [service, other];
      const send = (user: Credentials, at: number) =>
        sendForm(
          new Api(instances[at % 2]!.baseUrl).withKey(user.apiKey),
          notes(user),
          form({}, [file(`${at}.png`, bytes)]),
        );
      const answers = await Promise.all(manyRows(20, (at) => send(me, at)));
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
      for (const { body } of answers) {
        const answer = await readAttachment(body.data.files[0].id);
        expect(sha256(answer.bytes)).toBe(sha256(bytes));
      }
      const theirs = await send(otherUser, 0);
      const [seen] = theirs.body.data.files;
      const fresh = newPicture(50_000);
      const unseen = await sendForm(otherApi, notes(otherUser), form({}, [file('0.png', fresh)]));
      expect([theirs.status, Object.keys(theirs.body.data.files[0])]).toEqual([
        unseen.status,
        Object.keys(unseen.body.data.files[0]),
      ]);
      // The response contains no data of the blob in the other workspace.
      expect(seen).toMatchObject({ filename: '0.png', width: null, height: null, thumbnailUrl: null });
      const rows = await database.query<{ workspace: string }>(
        'SELECT workspace_id AS workspace FROM blobs WHERE sha256 = $1',
        [sha256(bytes)],
      );
      expect(rows.map(({ workspace }) => workspace).sort()).toEqual([me.workspaceId, otherUser.workspaceId].sort());
      for (const { body } of answers)
        expect((await otherApi.get(`/v1/api/attachments/${body.data.files[0].id}`)).status).toBe(404);
    });

    it('an attachment can be read on one instance as soon as another has stored it', async () => {
      const instances = [service, other].map(({ baseUrl }) => new Api(baseUrl).withKey(me.apiKey));
      for (const [one, two] of [instances, instances.toReversed()]) {
        const bytes = newPicture(100_000);
        const { body } = await sendForm(one!, notes(me), form({}, [file('a.png', bytes)]));
        const { url, id } = body.data.files[0];
        for (const fileUrl of [localUrl(two!, url), `${two!.baseUrl}/v1/api/attachments/${id}`]) {
          const answer = await download(fileUrl, { headers: two!.headers });
          expect([answer.status, sha256(answer.bytes)]).toEqual([200, sha256(bytes)]);
        }
      }
    });
  });
});

describe('attachments in an object store', () => {
  let objects: ObjectStorage;
  let database: TestDatabase;
  let service: TestService;
  let me: Credentials;
  let api: Api;

  beforeAll(async () => {
    objects = await ObjectStorage.start();
    database = await TestDatabase.create();
    service = await TestService.start(database, {
      ...objects.settings,
      CLEANUP_INTERVAL_S: '1',
    });
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
  });

  afterAll(async () => {
    await service?.stop();
    await objects?.stop();
    await database?.drop();
  });

  const notes = () => `/v2/api/workspaces/${me.workspaceId}/notes`;
  const stored = async () => {
    const [counts] = await database.query(`
      SELECT (SELECT count(*) FROM notes) AS notes, (SELECT count(*) FROM note_messages) AS messages,
             (SELECT count(*) FROM attachments) AS attachments, (SELECT count(*) FROM note_events) AS events,
             (SELECT count(*) FROM directory) AS directory`);
    return counts;
  };

  it('both transports store attachments in an object store, which are read whole, by range and as thumbnail', async () => {
    const large = picture(3_000_000);
    const byForm = await sendForm(api, notes(), form({}, ['picture.jpg', file('large.png', large)]));
    const byJson = await api.post(notes(), { files: [base64('picture.jpg'), base64('large.png', large)] });
    expect([byForm.status, byJson.status]).toEqual([201, 201]);
    for (const { body } of [byForm, byJson]) {
      const { files } = (await api.get(`${notes()}/${body.data.id}`)).body.data;
      for (const [at, bytes] of [bytesOf('picture.jpg'), large].entries()) {
        const url = localUrl(service, files[at].url);
        expect(sha256((await download(url)).bytes)).toBe(sha256(bytes));
        const part = await download(url, { headers: { Range: 'bytes=10-1009' } });
        expect([part.status, part.bytes]).toEqual([206, bytes.subarray(10, 1010)]);
        expect((await download(url, { headers: { Range: `bytes=${bytes.length}-` } })).status).toBe(416);
      }
    }
    const thumbnailUrl = await until(async () => {
      const { data } = (await api.get(`${notes()}/${byForm.body.data.id}`)).body;
      return (data.files[0].thumbnailUrl as string | null) ?? undefined;
    });
    const { status, headers, bytes } = await download(localUrl(service, thumbnailUrl));
    expect([status, headers.get('content-type'), bytes.toString('latin1', 8, 12)]).toEqual([200, 'image/webp', 'WEBP']);
  });

  it('blobs in an object store are removed if no attachment references them', async () => {
    const bytes = newPicture();
    expect((await api.post(notes(), { status: 'no-such-status', files: [base64('a.png', bytes)] })).status).toBe(422);
    const key = `${me.workspaceId}/files/${sha256(bytes).slice(0, 2)}/${sha256(bytes)}`;
    expect(objects.keys()).toContain(key);
    await database.query("UPDATE blobs SET touched_at = now() - interval '7 hours' WHERE sha256 = $1", [sha256(bytes)]);
    await until(() => Promise.resolve(!objects.keys().includes(key)));
    await until(
      async () => (await database.query('SELECT FROM blobs WHERE sha256 = $1', [sha256(bytes)])).length === 0,
    );
  });

  it('uploads return 503 while the object store is unavailable, and store nothing', async () => {
    const note = (await api.post(notes(), { files: [base64('a.png', newPicture())] })).body.data;
    const before = await stored();
    await objects.fail();
    const files = [base64('b.png', newPicture())];
    const failing = [
      await api.post(notes(), { title: 'x', files }),
      await sendForm(api, notes(), form({ title: 'x' }, [file('b.png', newPicture())])),
      await api.post(`${notes()}/${note.id}/messages`, { description: 'x', files }),
      await api.send(`${notes()}/${note.id}`, { method: 'PATCH', body: { title: 'x', files } }),
      await api.get(`/v1/api/attachments/${note.files[0].id}`),
      await new Api(localUrl(service, note.files[0].url)).get(''),
    ];
    for (const { status, headers, body } of failing) {
      expect([status, body.error]).toEqual([503, 'storage_unavailable']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(await stored()).toEqual(before);
    // Requests without files continue to work.
    expect((await api.post(notes(), { title: 'x' })).status).toBe(201);
    await objects.recover();
    expect((await api.post(notes(), { title: 'x', files })).status).toBe(201);
    expect((await api.get(`/v1/api/attachments/${note.files[0].id}`)).status).toBe(200);
  });
});
