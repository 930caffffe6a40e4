import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { Api } from '../support/api.js';
import type { Database } from '../support/database.js';
import { file, form, sendForm } from '../support/files.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { until } from '../support/until.js';

/** Photos of 24 megapixels, which take about half a second each. */
const PHOTOS = 10;

interface Workspace {
  api: Api;
  notes: string;
  projectId: string;
}

let service: SharedService;
let database: Database;
let photo: Buffer;
let flooded: Workspace;
let other: Workspace;

beforeAll(async () => {
  ({ service, database } = await shareService());
  [flooded, other] = [await createWorkspace(), await createWorkspace()];
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  const small = await sharp({ create: { width: 600, height: 400, channels: 3, background: 'gray', noise } })
    .png()
    .toBuffer();
  photo = await sharp(small).resize(6_000, 4_000).jpeg({ quality: 60, progressive: true }).toBuffer();
}, 60_000);

async function createWorkspace(): Promise<Workspace> {
  const { apiKey, workspaceId } = await service.provision();
  const api = new Api(service.baseUrl).withKey(apiKey);
  const projectId = (await api.post('/v1/api/projects', { name: 'Boiler house' })).body.data.id as string;
  return { api, notes: `/v2/api/workspaces/${workspaceId}/notes`, projectId };
}

/** Bytes after the end of an image are ignored, and make it another file. */
const newPhoto = () => file('photo.jpg', Buffer.concat([photo, randomBytes(16)]));

async function addNote({ api, notes, projectId }: Workspace, isAnonymous = false, photos = 1): Promise<string> {
  const files = Array.from({ length: photos }, newPhoto);
  const anonymous = new Api(service.baseUrl);
  const answer = isAnonymous
    ? await sendForm(anonymous, '/v1/public/saveThread', form({ projectId, title: 'Photos' }, files))
    : await sendForm(api, notes, form({ title: 'Photo' }, files));
  expect(answer.status).toBe(201);
  return answer.body.data.id as string;
}

async function countThumbnails({ api, notes }: Workspace, id: string): Promise<number> {
  const { files } = (await api.get(`${notes}/${id}`)).body.data as { files: { thumbnailUrl: string | null }[] };
  return files.filter(({ thumbnailUrl }) => thumbnailUrl !== null).length;
}

/** The transactions that have added the files of a note, and those that have stored their thumbnails, in numbers. */
const readOrder = (noteId: string) =>
  database.query<{ added: number; shown: number }>(
    `SELECT a.xmin::text::float8 AS added, b.xmin::text::float8 AS shown
       FROM attachments a JOIN blobs b ON b.workspace_id = a.workspace_id AND b.sha256 = a.sha256
      WHERE a.owner_id = $1`,
    [noteId],
  );

it('an anonymous author with many photos delays thumbnails of others by about one photo', async () => {
  const many = await addNote(flooded, true, PHOTOS);
  const waiting: [name: string, workspace: Workspace, id: string][] = [
    ['a member of the workspace', flooded, await addNote(flooded)],
    ['a member of another workspace', other, await addNote(other)],
    ['an anonymous author of another workspace', other, await addNote(other, true)],
  ];
  for (const [, workspace, id] of [...waiting, ['', flooded, many] as const])
    await until(
      () => countThumbnails(workspace, id),
      (count) => count === (id === many ? PHOTOS : 1),
      120_000,
    );
  const photos = await readOrder(many);
  for (const [name, , id] of waiting) {
    const [own] = await readOrder(id);
    const before = photos.filter(({ shown }) => shown > own!.added && shown < own!.shown);
    // The photo that was being decoded, and those whose turn it was.
    expect([name, before.length <= 3 ? '' : before.length]).toEqual([name, '']);
  }
}, 240_000);
