import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { Api } from '../support/api.js';
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
let photo: Buffer;
let flooded: Workspace;
let other: Workspace;

beforeAll(async () => {
  ({ service } = await shareService());
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

it('an anonymous author with many photos delays thumbnails of others by about one photo', async () => {
  const many = await addNote(flooded, true, PHOTOS);
  const add = async (name: string, workspace: Workspace, isAnonymous = false) => {
    const id = await addNote(workspace, isAnonymous);
    return { name, workspace, id, before: await countThumbnails(flooded, many) };
  };
  const waiting = [
    await add('a member of the workspace', flooded),
    await add('a member of another workspace', other),
    await add('an anonymous author of another workspace', other, true),
  ];
  const delayed: [string, number][] = [];
  await until(
    async () => {
      for (const each of [...waiting]) {
        if ((await countThumbnails(each.workspace, each.id)) === 0) continue;
        const photos = (await countThumbnails(flooded, many)) - each.before;
        // The photo that was being decoded, and two that end before the polls.
        if (photos > 3) delayed.push([each.name, photos]);
        waiting.splice(waiting.indexOf(each), 1);
      }
      return waiting.length === 0;
    },
    Boolean,
    120_000,
  );
  expect(delayed).toEqual([]);
  expect(
    await until(
      () => countThumbnails(flooded, many),
      (count) => count === PHOTOS,
      120_000,
    ),
  ).toBe(PHOTOS);
}, 240_000);
