import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { crc32, deflateSync, gunzipSync } from 'node:zlib';
import sharp from 'sharp';
import { measureElapsed } from '../support/elapsed.js';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { file, form, newPicture, sendForm, sha256 } from '../support/files.js';
import { ROOT, TestDatabase, TestService } from '../support/service.js';
import { until } from '../support/until.js';

const FOLDER = join(ROOT, 'test/fixtures/image-bombs');
const MEGABYTE = 1_000_000;

/** Each file has 100 megapixels of one color, which take 300 to 800 MB in memory. */
const BOMBS = ['flat.avif', 'flat.gif', 'interlaced.png', 'progressive.jpg'];

function bytesOf(name: string): Buffer {
  const path = join(FOLDER, name);
  return name.endsWith('.avif') ? readFileSync(path) : gunzipSync(readFileSync(`${path}.gz`));
}

/** Reads the peak memory of each process that the service started, until it is stopped. */
function watchProcesses(pid: number) {
  const peaks = new Map<string, number>();
  const timer = setInterval(() => {
    for (const child of readText(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean)) {
      const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readText(`/proc/${child}/status`)) ?? [];
      if (kibibytes) peaks.set(child, Number(kibibytes) * 1024);
    }
  }, 5);
  return {
    stop: () => {
      clearInterval(timer);
      return [...peaks.values()];
    },
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** A PNG of one color with so many pixels in both directions, and one bit per pixel. */
function createFlatPng(side: number): Buffer {
  const chunk = (type: string, content: Buffer) => {
    const bytes = Buffer.concat([Buffer.from(type), content]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(content.length);
    sum.writeUInt32BE(crc32(bytes));
    return Buffer.concat([length, bytes, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 1;
  const rows = deflateSync(Buffer.alloc(side * (1 + Math.ceil(side / 8))), { level: 1 });
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}

describe('images that decode to much more memory than their size', () => {
  let database: TestDatabase;
  let service: TestService;
  let me: Credentials;
  let api: Api;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database);
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
  });

  it('are not decoded if their headers announce more pixels than can be decoded in time', async () => {
    const notes = `/v2/api/workspaces/${me.workspaceId}/notes`;
    const sent = await sendForm(api, notes, form({}, [file('huge.png', createFlatPng(60_000))]));
    expect(sent.status).toBe(201);
    const elapsed = measureElapsed();
    const analyzed = await until(async () => {
      const [found] = (await api.get(`${notes}/${sent.body.data.id}`)).body.data.files;
      return found.width === null ? undefined : found;
    });
    expect([analyzed.width, analyzed.height, analyzed.thumbnailUrl]).toEqual([60_000, 60_000, null]);
    expect(elapsed()).toBeLessThan(8_000);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
    expect(service.output.join('')).not.toMatch(/internal_error|unhandled/i);
  });

  const notes = () => `/v2/api/workspaces/${me.workspaceId}/notes`;
  const send = async (name: string, bytes: Buffer): Promise<string> => {
    const { status, body } = await sendForm(api, notes(), form({}, [file(name, bytes)]));
    expect(status).toBe(201);
    return body.data.id as string;
  };
  const readFile = async (id: string) => (await api.get(`${notes()}/${id}`)).body.data.files[0];
  const analyzed = (id: string) => until(async () => ((await readFile(id)).width === null ? undefined : readFile(id)));
  const readPreview = async (bytes: Buffer) => {
    const sql = 'SELECT preview, preview_attempts AS attempts FROM blobs WHERE sha256 = $1';
    const [found] = await database.query<{ preview: string; attempts: number }>(sql, [sha256(bytes)]);
    return found!;
  };
  const withThumbnail = (id: string) =>
    until(async () => ((await readFile(id)).thumbnailUrl === null ? undefined : readFile(id)));

  it.each(BOMBS)('%s gets its size within the limit of memory, and the next image its thumbnail', async (name) => {
    const before = service.peakMemory();
    const watch = watchProcesses(service.pid);
    const id = await send(name, bytesOf(name));
    const next = await send('next.png', newPicture());
    // Requests of other callers are answered meanwhile.
    const durations: number[] = [];
    const isDone = withThumbnail(next).then(() => true);
    while (!(await Promise.race([isDone, delay(10).then(() => false)]))) {
      const elapsed = measureElapsed();
      expect((await api.get('/v1/api/tours')).status).toBe(200);
      durations.push(elapsed());
    }
    expect(durations.sort((a, b) => a - b)[Math.floor(durations.length * 0.9)]).toBeLessThan(2_000);
    expect(await analyzed(id)).toMatchObject({ width: 10_000, height: 10_000, thumbnailUrl: null });
    const peaks = watch.stop();
    if (before !== undefined) {
      expect(peaks.length).toBeGreaterThan(0);
      expect(Math.max(...peaks) + service.peakMemory()! - before).toBeLessThan(300 * MEGABYTE);
    }
  });

  it('an image whose process was killed is not tried again', async () => {
    const rows = await database.query(
      "SELECT DISTINCT preview, preview_attempts AS attempts FROM blobs WHERE width = 10000 AND preview <> 'pending'",
    );
    expect(rows).toEqual([{ preview: 'failed', attempts: 1 }]);
  });

  it('a BMP whose header states 2^31 rows has no size, and the next image gets its thumbnail', async () => {
    const bmp = Buffer.alloc(80);
    bmp.write('BM');
    bmp.writeUInt32LE(40, 14);
    bmp.writeInt32LE(1, 18);
    bmp.writeInt32LE(-(2 ** 31), 22);
    const id = await send('high.bmp', bmp);
    await withThumbnail(await send('next.png', newPicture()));
    expect(await readFile(id)).toMatchObject({ width: null, height: null, thumbnailUrl: null });
    expect(await readPreview(bmp)).toEqual({ preview: 'failed', attempts: 1 });
  });

  it('a preview whose file is missing ends after two attempts, and does not delay the next one', async () => {
    const picture = newPicture();
    const hash = sha256(picture);
    await withThumbnail(await send('lost.png', picture));
    rmSync(join(service.env['DATA_DIR']!, 'files', me.workspaceId, 'files', hash.slice(0, 2), hash));
    await database.query('UPDATE blobs SET preview_attempts = 0 WHERE sha256 = $1', [hash]);
    const makeDue = () =>
      database.query("UPDATE blobs SET preview = 'pending', preview_due_at = now() WHERE sha256 = $1", [hash]);
    for (const attempts of [1, 2]) {
      await makeDue();
      await until(
        () => readPreview(picture),
        (read) => read.attempts === attempts,
      );
      const elapsed = measureElapsed();
      await withThumbnail(await send('next.png', newPicture()));
      expect(elapsed()).toBeLessThan(8_000);
    }
    await makeDue();
    await until(
      () => readPreview(picture),
      ({ preview }) => preview === 'failed',
    );
  });

  it('a WebM of thousands of empty elements is a video, and costs the service no more than another one', async () => {
    const webm = readFileSync(join(ROOT, 'test/fixtures/files/video.webm'));
    // The header of the container, a segment of unknown size, and elements without content.
    const segment = Buffer.from([0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
    const header = webm.subarray(0, webm.indexOf(segment.subarray(0, 4)));
    const measure = async (bytes: Buffer) => {
      const id = await send('a.webm', bytes);
      const previews = () =>
        database.query<{ preview: string }>("SELECT preview FROM blobs WHERE content_type LIKE 'video%'");
      await until(previews, (rows) => rows.every(({ preview }) => preview === 'failed'));
      expect((await readFile(id)).kind).toBe('video');
    };
    /** Of the service, in milliseconds. */
    const cpuTime = () => {
      const [user, system] = readText(`/proc/${service.pid}/stat`).split(') ')[1]?.split(' ').slice(11, 13) ?? [];
      return 10 * (Number(user) + Number(system));
    };
    const costs: [harmless: number, hostile: number][] = [];
    for (let round = 0; round < 4; round++) {
      const start = cpuTime();
      await measure(Buffer.concat([webm, Buffer.alloc(30_000 + round)]));
      const middle = cpuTime();
      await measure(Buffer.concat([header, segment, Buffer.alloc(30_000 + round, Buffer.from([0xec, 0x80]))]));
      costs.push([middle - start, cpuTime() - middle]);
    }
    // The first round loads the code. Other work of the service is in each round.
    const median = (values: number[]) => values.sort((a, b) => a - b)[1]!;
    const [harmless, hostile] = [0, 1].map((at) => median(costs.slice(1).map((cost) => cost[at]!)));
    if (service.peakMemory() !== undefined) expect(hostile! - harmless!).toBeLessThan(100);
  });

  it('photos of 24 megapixels get thumbnails, also progressive and with an orientation', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
    const small = await sharp({ create: { width: 600, height: 400, channels: 3, background: 'gray', noise } })
      .png()
      .toBuffer();
    const photo = sharp(small).resize(6_000, 4_000).withMetadata({ orientation: 6 });
    const ids = [
      await send('a.jpg', await photo.clone().jpeg({ quality: 60 }).toBuffer()),
      await send('b.jpg', await photo.clone().jpeg({ quality: 60, progressive: true }).toBuffer()),
      await send('c.webp', await photo.clone().webp({ effort: 0 }).toBuffer()),
    ];
    for (const id of ids) expect(await withThumbnail(id)).toMatchObject({ width: 4_000, height: 6_000 });
  });
});
