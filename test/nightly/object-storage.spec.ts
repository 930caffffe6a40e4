import { get } from 'node:http';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { base64, download, localUrl, newPicture, sha256 } from '../support/files.js';
import { ObjectStorage } from '../support/object-storage.js';
import { TestDatabase, TestService } from '../support/service.js';
import { until } from '../support/until.js';

/** More than the AWS client opens by default. */
const READERS = 100;
/** Larger than the buffers of the two connections of a download. */
const LARGE = 15_000_000;
/** Attempts after which a preview whose process ended is not made. */
const FAILURES = 3;

let objects: ObjectStorage;
let database: TestDatabase;
let service: TestService;
let me: Credentials;
let api: Api;

beforeAll(async () => {
  objects = await ObjectStorage.start();
  database = await TestDatabase.create();
  service = await TestService.start(database, objects.settings);
  me = await service.provision();
  api = new Api(service.baseUrl).withKey(me.apiKey);
});

afterAll(async () => {
  await service?.stop();
  await objects?.stop();
  await database?.drop();
});

const notes = () => `/v2/api/workspaces/${me.workspaceId}/notes`;
const createNote = async (bytes: Buffer) => {
  const { status, body } = await api.post(notes(), { files: [base64('a.png', bytes)] });
  expect(status).toBe(201);
  return body.data;
};

/** Begins a download and reads nothing of it. @returns a function that ends it. */
function beginDownload(url: string): () => void {
  const request = get(url, (response) => response.pause().on('error', () => undefined));
  request.on('error', () => undefined);
  return () => request.destroy();
}

it('downloads that their callers do not read do not prevent others', async () => {
  const bytes = newPicture(LARGE);
  const url = localUrl(service, (await createNote(bytes)).files[0].url);
  const ends = Array.from({ length: READERS }, () => beginDownload(url));
  try {
    const read = await download(url, { signal: AbortSignal.timeout(20_000) });
    expect(sha256(read.bytes)).toBe(sha256(bytes));
    const other = await createNote(newPicture());
    expect((await download(localUrl(service, other.files[0].url))).status).toBe(200);
  } finally {
    for (const end of ends) end();
  }
});

it('makes a preview after the storage has failed several times', async () => {
  objects.rejects = /^PUT .*\/thumbnails\//;
  const { id } = await createNote(newPicture());
  for (let failure = 1; failure <= FAILURES; failure++) {
    const failedBefore = objects.rejected;
    await database.query("UPDATE blobs SET preview_due_at = now() WHERE preview = 'pending'");
    await until(() => Promise.resolve(objects.rejected > failedBefore));
    const leased = "SELECT FROM blobs WHERE preview = 'pending' AND preview_attempts = 0 AND preview_due_at > now()";
    await until(async () => (await database.query(leased)).length === 1);
  }
  objects.rejects = undefined;
  await database.query("UPDATE blobs SET preview_due_at = now() WHERE preview = 'pending'");
  const thumbnailUrl = async () => (await api.get(`${notes()}/${id}`)).body.data.files[0].thumbnailUrl as string | null;
  expect((await download(localUrl(service, (await until(thumbnailUrl))!))).status).toBe(200);
});
