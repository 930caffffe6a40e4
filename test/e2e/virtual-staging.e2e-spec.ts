import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { type ApiResponse, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import {
  base64,
  bytesOf,
  download,
  form,
  localUrl,
  newPicture,
  sendForm,
  sha256,
  withoutExpiry,
} from '../support/files.js';
import type { Database } from '../support/database.js';
import { type SharedService, shareServices } from '../support/shared-services.js';
import { runRenderer } from '../support/renderer.js';
import { signIn } from '../support/tokens.js';

const STAGINGS = '/v1/api/virtual-stagings';
const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

interface Claim {
  claimToken: string;
  staging: { id: string; workspaceId: string; sourceFile: { url: string }; attempts: number };
}

describe('virtual staging', () => {
  let database: Database;
  let services: SharedService[];
  let service: SharedService;
  let me: Credentials;
  let api: Api;
  let otherWorkspace: Api;
  let tour: { id: string; projectId: string };

  beforeAll(async () => {
    ({ database, services } = await shareServices(2));
    service = services[0]!;
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
    otherWorkspace = new Api(service.baseUrl).withKey((await service.provision()).apiKey);
  });

  // Each test cancels the virtual stagings that it left queued, so that the next one starts with an empty queue.
  beforeEach(async () => {
    tour = await newTour();
  });

  afterEach(async () => {
    for (const status of ['queued', 'processing']) {
      const { items } = (await api.get(`${STAGINGS}?status=${status}&limit=500`)).body.data;
      for (const { id } of items) await api.post(`${STAGINGS}/${id}/cancel`);
    }
  });

  async function newTour(caller = api) {
    const project = await caller.post('/v1/api/projects', { name: 'Show home' });
    const { body } = await caller.post('/v1/api/tours', { projectId: project.body.data.id, title: 'Ground floor' });
    return body.data as typeof tour;
  }

  const picture = () => base64('picture.png');
  const create = (more: object = {}, caller = api) =>
    caller.post(STAGINGS, { tourId: tour.id, type: 'stage', files: [picture()], ...more });
  const created = async (more: object = {}): Promise<string> => (await create(more)).body.data.id;
  const read = async (id: string) => (await api.get(`${STAGINGS}/${id}`)).body.data;

  const claim = async (more: object = {}, caller = api): Promise<Claim> =>
    (await caller.post(`${STAGINGS}/claims`, more)).body.data;
  const callAsRenderer = (
    { claimToken, staging }: Claim,
    verb: string,
    body: object = {},
    caller = api,
  ): Promise<ApiResponse> => caller.post(`${STAGINGS}/${staging.id}/${verb}`, body, { 'X-Claim-Token': claimToken });
  const addVariation = (claimed: Claim, label = 'Warm', files = [base64('picture.png', newPicture())], caller = api) =>
    callAsRenderer(claimed, 'variations', { label, files }, caller);

  /** Retries, because a claim skips jobs that a background job is just queueing again. */
  async function claimWithRetry(caller = api): Promise<Claim> {
    let claimed = await claim({}, caller);
    await until(async () => (claimed.staging ? true : Boolean((claimed = await claim({}, caller)).staging)));
    return claimed;
  }

  const expireLease = (id: string) =>
    database.query(`UPDATE stagings SET lease_until = now() - interval '1 second' WHERE id = $1`, [id]);

  function expectClaimLost({ status, body }: ApiResponse): void {
    expect({ status, error: body.error }).toEqual({ status: 409, error: 'claim_lost' });
  }

  describe('for callers that request it', () => {
    it('a virtual staging is created with the status queued in the project of its tour', async () => {
      const { status, headers, body } = await create({ sceneId: 's17', roomType: 'kitchen', style: 'modern' });
      expect(status).toBe(201);
      expect(headers.get('etag')).toMatch(/^"1-/);
      expect(body.data).toEqual({
        id: expect.any(String),
        workspaceId: me.workspaceId,
        projectId: tour.projectId,
        tourId: tour.id,
        sceneId: 's17',
        sourceFile: expect.objectContaining({
          filename: 'picture.png',
          kind: 'image',
          contentType: 'image/png',
          sha256: sha256(bytesOf('picture.png')),
        }),
        type: 'stage',
        roomType: 'kitchen',
        style: 'modern',
        status: 'queued',
        progress: 0,
        variations: [],
        error: null,
        attempts: 0,
        leaseUntil: null,
        startedAt: null,
        completedAt: null,
        externalId: null,
        archivedAt: null,
        version: 1,
        createdAt: expect.stringMatching(INSTANT),
        createdBy: me.userId,
        updatedAt: expect.stringMatching(INSTANT),
        updatedBy: me.userId,
      });
      const { sourceFile, ...same } = await read(body.data.id);
      expect(body.data).toMatchObject({ ...same, sourceFile: { id: sourceFile.id } });
    });

    it('accepts a form, and the ID of an existing attachment, with the same result', async () => {
      const fields = { tourId: tour.id, type: 'declutter', roomType: 'hall' };
      const sent = await sendForm(api, STAGINGS, form(fields, ['picture.png']));
      expect(sent.status).toBe(201);
      const note = await api.post('/v1/api/notes', { projectId: tour.projectId, files: [picture()] });
      const sourceFileId = note.body.data.files[0].id;
      const named = await api.post(STAGINGS, { ...fields, sourceFileId });
      expect(named.status).toBe(201);
      expect(named.body.data.sourceFile.sha256).toBe(sent.body.data.sourceFile.sha256);
      const { bytes } = await download(localUrl(service, named.body.data.sourceFile.url));
      expect(sha256(bytes)).toBe(sha256(bytesOf('picture.png')));
    });

    it('requires exactly one file, which is an image', async () => {
      for (const name of ['report.pdf', 'video.mp4', 'sound.mp3']) {
        const { status, body } = await create({ files: [base64(name)] });
        expect({ status, error: body.error }).toEqual({ status: 415, error: 'unsupported_file_type' });
        expect(body.details.errors[0].field).toBe('files[0]');
      }
      expect((await create({ files: [{ filename: 'a.png', data: 'bm90IGFuIGltYWdl' }] })).status).toBe(415);
      for (const files of [[], [picture(), picture()]]) expect((await create({ files })).status).toBe(400);
      const pdf = await api.post('/v1/api/notes', { projectId: tour.projectId, files: [base64('report.pdf')] });
      const wrong = await create({ files: undefined, sourceFileId: pdf.body.data.files[0].id });
      expect({ status: wrong.status, error: wrong.body.error }).toEqual({ status: 422, error: 'not_an_image' });
      expect((await create({ sourceFileId: pdf.body.data.files[0].id })).status).toBe(400);
      expect((await api.get(`${STAGINGS}?tourId=${tour.id}`)).body.data.items).toEqual([]);
    });

    it('returns 422 for an attachment of another workspace, as for an unknown ID', async () => {
      const project = await otherWorkspace.post('/v1/api/projects', { name: 'Theirs' });
      const note = await otherWorkspace.post('/v1/api/notes', { projectId: project.body.data.id, files: [picture()] });
      const foreign = await create({ files: undefined, sourceFileId: note.body.data.files[0].id });
      const unknown = await create({ files: undefined, sourceFileId: randomUUID() });
      expect(foreign.status).toBe(422);
      expect({ ...foreign.body, requestId: 0, timestamp: 0 }).toEqual({ ...unknown.body, requestId: 0, timestamp: 0 });
    });

    it.each([
      ['type', { type: 'paint' }],
      ['type', { type: undefined }],
      ['tourId', { tourId: 'here' }],
      ['roomType', { roomType: 7 }],
      ['status', { status: 'succeeded' }],
      ['sourceFileId', { sourceFileId: 'x' }],
    ])('returns 400 and names %s if it is invalid', async (field, wrong) => {
      const { status, body } = await create(wrong);
      expect(status).toBe(400);
      expect(body.details.errors.map((error: { field: string }) => error.field)).toContain(field);
    });

    it('a virtual staging is created once per external ID and updated only while it is queued', async () => {
      const externalId = randomUUID();
      const first = await create({ externalId, style: 'modern' });
      const again = await create({ externalId, style: 'modern' });
      expect([first.status, again.status]).toEqual([201, 200]);
      expect(again.body.data).toMatchObject({ id: first.body.data.id, version: 1 });
      const bytes = newPicture();
      const other = await create({ externalId, files: [base64('other.png', bytes)] });
      expect(other.body.data).toMatchObject({ id: first.body.data.id, version: 2, style: 'modern' });
      expect(other.body.data.sourceFile).toMatchObject({ filename: 'other.png', sha256: sha256(bytes) });
      const elsewhere = await create({ externalId, tourId: (await newTour()).id });
      expect({ status: elsewhere.status, error: elsewhere.body.error }).toEqual({
        status: 409,
        error: 'parent_immutable',
      });
      await claim();
      const late = await create({ externalId, style: 'rustic' });
      expect({ status: late.status, error: late.body.error }).toEqual({ status: 409, error: 'not_queued' });
      const same = await create({ externalId, files: [base64('other.png', bytes)] });
      expect(same.status).toBe(200);
      expect(same.body.data.status).toBe('processing');
    });

    it('a virtual staging is created once by concurrent requests with one external ID', async () => {
      const externalId = randomUUID();
      const callers = services.map(({ baseUrl }) => new Api(baseUrl).withKey(me.apiKey));
      const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => create({ externalId }, callers[at % 2])));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
      expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    });

    it('a virtual staging has a source image in each response while the image is replaced', async () => {
      const externalId = randomUUID();
      const id = await created({ externalId });
      let isReplacing = true;
      const replace = async () => {
        for (let round = 0; round < 40; round++)
          await create({ externalId, files: [base64('picture.png', newPicture())] });
        isReplacing = false;
      };
      const readAll = async (caller: Api) => {
        while (isReplacing) {
          const { items } = (await caller.get(`${STAGINGS}?tourId=${tour.id}`)).body.data;
          for (const each of [...items, (await caller.get(`${STAGINGS}/${id}`)).body.data])
            expect(each.sourceFile).toMatchObject({ kind: 'image' });
        }
      };
      const other = new Api(services[1]!.baseUrl).withKey(me.apiKey);
      await Promise.all([replace(), readAll(api), readAll(other), readAll(other)]);
    });

    it('a virtual staging can be changed only while it is queued', async () => {
      const id = await created();
      const changed = await api.patch(`${STAGINGS}/${id}`, { style: 'industrial', type: 'enhance', sceneId: null });
      expect(changed.body.data).toMatchObject({ style: 'industrial', type: 'enhance', version: 2 });
      expect((await api.patch(`${STAGINGS}/${id}`, { style: 'x' }, { 'If-Match': '"1"' })).status).toBe(412);
      for (const wrong of [{ tourId: tour.id }, { status: 'failed' }, { progress: 5 }, { type: '' }])
        expect((await api.patch(`${STAGINGS}/${id}`, wrong)).status).toBe(400);
      await claim();
      const late = await api.patch(`${STAGINGS}/${id}`, { style: 'x' });
      expect({ status: late.status, error: late.body.error }).toEqual({ status: 409, error: 'not_queued' });
    });

    it('a virtual staging is listed by project, tour, status and type, with the selected fields', async () => {
      const ids = [await created(), await created({ type: 'enhance' }), await created()];
      await claim();
      const listed = async (query: string) =>
        (await api.get(`${STAGINGS}?${query}`)).body.data.items.map(({ id }: { id: string }) => id);
      expect(await listed(`tourId=${tour.id}`)).toEqual(ids);
      expect(await listed(`projectId=${tour.projectId}&sort=-createdAt`)).toEqual([...ids].reverse());
      expect(await listed(`tourId=${tour.id}&status=processing`)).toEqual([ids[0]]);
      expect(await listed(`tourId=${tour.id}&type=enhance`)).toEqual([ids[1]]);
      expect(await listed(`tourId=${(await newTour()).id}`)).toEqual([]);
      const { items } = (await api.get(`${STAGINGS}?tourId=${tour.id}&fields=id,status`)).body.data;
      expect(items[0]).toEqual({ id: ids[0], status: 'processing' });
      for (const query of ['status=done', 'type=paint', 'tourId=x', 'fields=claim', 'fields=sourceId', 'nonsense=1'])
        expect((await api.get(`${STAGINGS}?${query}`)).status).toBe(400);
    });

    it('cannot be claimed while it is archived, and can be restored', async () => {
      const id = await created();
      expect((await api.delete(`${STAGINGS}/${id}`)).body.data.archivedAt).toMatch(INSTANT);
      expect(await claim()).toEqual({ claimToken: null, staging: null });
      expect((await api.post(`${STAGINGS}/${id}/cancel`)).status).toBe(409);
      expect((await api.post(`${STAGINGS}/${id}/restore`)).body.data).toMatchObject({ archivedAt: null });
      const claimed = await claim();
      expect(claimed.staging.id).toBe(id);
      await api.delete(`${STAGINGS}/${id}`);
      expectClaimLost(await callAsRenderer(claimed, 'heartbeat'));
      await api.post(`${STAGINGS}/${id}/restore`);
      expect((await callAsRenderer(claimed, 'heartbeat')).status).toBe(200);
    });

    it('a virtual staging is counted in its tour unless it is archived', async () => {
      const ids = [await created(), await created()];
      const count = async () => (await api.get(`/v1/api/tours/${tour.id}`)).body.data.counts.stagings;
      expect(await count()).toBe(2);
      await api.delete(`${STAGINGS}/${ids[0]}`);
      expect(await count()).toBe(1);
    });

    it('returns 409 if the tour is archived', async () => {
      await api.delete(`/v1/api/tours/${tour.id}`);
      expect((await create()).status).toBe(409);
    });
  });

  describe('of another workspace', () => {
    it('returns 404 on every route, as for an unknown ID', async () => {
      const id = await created();
      expect((await create({}, otherWorkspace)).status).toBe(404);
      expect(await claim({}, otherWorkspace)).toEqual({ claimToken: null, staging: null });
      expect((await otherWorkspace.post(`${STAGINGS}/claims`, { workspaceId: me.workspaceId })).status).toBe(404);
      const claimed = await claim();
      const sendAll = (target: string) => [
        otherWorkspace.get(`${STAGINGS}/${target}`),
        otherWorkspace.patch(`${STAGINGS}/${target}`, { style: 'x' }),
        otherWorkspace.delete(`${STAGINGS}/${target}`),
        otherWorkspace.post(`${STAGINGS}/${target}/restore`),
        otherWorkspace.post(`${STAGINGS}/${target}/cancel`),
        callAsRenderer({ ...claimed, staging: { ...claimed.staging, id: target } }, 'heartbeat', {}, otherWorkspace),
        callAsRenderer({ ...claimed, staging: { ...claimed.staging, id: target } }, 'complete', {}, otherWorkspace),
        callAsRenderer(
          { ...claimed, staging: { ...claimed.staging, id: target } },
          'fail',
          { error: 'x' },
          otherWorkspace,
        ),
        addVariation({ ...claimed, staging: { ...claimed.staging, id: target } }, 'x', undefined, otherWorkspace),
      ];
      const plain = async (answers: Promise<ApiResponse>[]) =>
        (await Promise.all(answers)).map(({ status, body }) => ({ status, error: body.error, message: body.message }));
      const foreign = await plain(sendAll(id));
      expect(new Set(foreign.map(({ status }) => status))).toEqual(new Set([404]));
      expect(foreign).toEqual(await plain(sendAll(randomUUID())));
      expect(await read(id)).toMatchObject({ status: 'processing', variations: [], version: 2 });
    });
  });

  describe('for a renderer', () => {
    it('a virtual staging can be rendered in twenty lines', async () => {
      const id = await created();
      expect(await runRenderer(api)).toEqual([id]);
      const staging = await read(id);
      expect(staging).toMatchObject({ status: 'succeeded', progress: 100, error: null, leaseUntil: null, attempts: 1 });
      expect(staging.startedAt <= staging.completedAt).toBe(true);
      expect(staging.variations).toMatchObject([{ label: 'Warm', filename: 'warm.png', kind: 'image' }]);
      const { bytes } = await download(localUrl(service, staging.variations[0].url));
      const [before, after] = await Promise.all([bytesOf('picture.png'), bytes].map((each) => sharp(each).stats()));
      expect(sha256(bytes)).not.toBe(sha256(bytesOf('picture.png')));
      expect(after!.channels[0]!.mean - after!.channels[2]!.mean).toBeGreaterThan(
        before!.channels[0]!.mean - before!.channels[2]!.mean,
      );
    });

    it('returns the oldest of the requested types and workspace', async () => {
      const ids = [await created(), await created({ type: 'enhance' }), await created({ type: 'declutter' })];
      expect((await claim({ types: ['enhance', 'declutter'] })).staging.id).toBe(ids[1]);
      expect((await claim({ types: ['enhance'] })).staging).toBeNull();
      expect((await claim({ workspaceId: me.workspaceId })).staging.id).toBe(ids[0]);
      expect((await claim()).staging.id).toBe(ids[2]);
      expect(await claim()).toEqual({ claimToken: null, staging: null });
    });

    it.each([
      [{ leaseSeconds: 9 }],
      [{ leaseSeconds: 3_601 }],
      [{ leaseSeconds: 10.5 }],
      [{ types: [] }],
      [{ types: ['paint'] }],
      [{ workspaceId: 'x' }],
      [{ nonsense: 1 }],
    ])('returns 400 for a claim with %j', async (wrong) => {
      expect((await api.post(`${STAGINGS}/claims`, wrong)).status).toBe(400);
    });

    it('grants a lease that every call renews', async () => {
      const id = await created();
      const leaseS = (of: { leaseUntil: string; updatedAt: string }) =>
        Math.round((Date.parse(of.leaseUntil) - Date.parse(of.updatedAt)) / 1_000);
      const claimed = await claim({ leaseSeconds: 3_600 });
      expect(leaseS(claimed.staging as never)).toBe(3_600);
      const beat = await callAsRenderer(claimed, 'heartbeat', { progress: 30 });
      expect(leaseS(beat.body.data)).toBe(3_600);
      expect(beat.body.data).toMatchObject({ id, progress: 30, status: 'processing' });
      expect(Date.parse(beat.body.data.leaseUntil)).toBeGreaterThan(Date.parse((claimed.staging as any).leaseUntil));
      const varied = await addVariation(claimed);
      expect(Date.parse(varied.body.data.leaseUntil)).toBeGreaterThan(Date.parse(beat.body.data.leaseUntil));
      expect(varied.body.data.progress).toBe(30);
    });

    it('accepts the claim token in the header or the body, and never returns it in a record', async () => {
      const id = await created();
      const claimed = await claim();
      const { claimToken } = claimed;
      expect((await api.post(`${STAGINGS}/${id}/heartbeat`, { claimToken, progress: 1 })).status).toBe(200);
      const fields = { claimToken, label: 'Warm' };
      expect((await sendForm(api, `${STAGINGS}/${id}/variations`, form(fields, ['picture.png']))).status).toBe(200);
      for (const wrong of [undefined, '', 'x', 7, null])
        expect((await api.post(`${STAGINGS}/${id}/heartbeat`, { claimToken: wrong })).status).toBe(400);
      expectClaimLost(await api.post(`${STAGINGS}/${id}/heartbeat`, { claimToken: randomUUID() }));
      const seen = [await api.get(`${STAGINGS}/${id}`), await api.get(STAGINGS)].map(({ body }) =>
        JSON.stringify(body),
      );
      for (const text of seen) expect(text).not.toContain(claimToken);
      expect((await api.post(`${STAGINGS}/${id}/complete`, { claimToken })).status).toBe(200);
    });

    it('accepts several images per call, each with the label, and no other files', async () => {
      await created();
      const claimed = await claim();
      const pictures = [newPicture(), newPicture()];
      await addVariation(claimed, 'Warm', [base64('a.png', pictures[0]), base64('b.png', pictures[1])]);
      const { body } = await addVariation(claimed, 'Cold');
      expect(body.data.variations).toMatchObject([
        { label: 'Warm', filename: 'a.png', sha256: sha256(pictures[0]!) },
        { label: 'Warm', filename: 'b.png', sha256: sha256(pictures[1]!) },
        { label: 'Cold' },
      ]);
      expect((await addVariation(claimed, 'Warm', [base64('report.pdf')])).status).toBe(415);
      expect((await addVariation(claimed, 'Warm', [picture(), base64('report.pdf')])).status).toBe(415);
      expect((await addVariation(claimed, 'Warm', [])).status).toBe(400);
      expect((await addVariation(claimed, ' ')).status).toBe(400);
      expect((await read(claimed.staging.id)).variations).toHaveLength(3);
    });

    it('returns 422 for complete without a variation', async () => {
      const id = await created();
      const claimed = await claim();
      const { status, body } = await callAsRenderer(claimed, 'complete');
      expect({ status, error: body.error }).toEqual({ status: 422, error: 'no_variations' });
      expect((await read(id)).status).toBe('processing');
    });

    it('requires an error text for fail', async () => {
      const id = await created();
      const claimed = await claim();
      expect((await callAsRenderer(claimed, 'fail', {})).status).toBe(400);
      const { body } = await callAsRenderer(claimed, 'fail', { error: 'The picture shows no room.' });
      const failed = { id, status: 'failed', error: 'The picture shows no room.', leaseUntil: null };
      expect(body.data).toMatchObject({ ...failed, completedAt: expect.stringMatching(INSTANT) });
      expect((await claim()).staging).toBeNull();
    });

    it('returns 409 after complete, fail and cancel, and changes nothing', async () => {
      for (const end of ['complete', 'fail', 'cancel']) {
        const id = await created();
        const claimed = await claim();
        await addVariation(claimed);
        // A cancel needs no claim.
        expect((await callAsRenderer(claimed, end, end === 'fail' ? { error: 'x' } : undefined)).status).toBe(200);
        const finished = await read(id);
        for (const late of [
          await callAsRenderer(claimed, 'heartbeat', { progress: 1 }),
          await addVariation(claimed),
          await callAsRenderer(claimed, 'complete'),
          await callAsRenderer(claimed, 'fail', { error: 'y' }),
        ]) {
          if (end === 'cancel') expectClaimLost(late);
          else {
            expect([late.status, late.body.error]).toEqual([409, 'already_finished']);
            expect(late.body.message).toContain(finished.status);
          }
        }
        expectClaimLost(await callAsRenderer({ ...claimed, claimToken: randomUUID() }, 'complete'));
        expect(await read(id)).toMatchObject({
          status: finished.status,
          version: finished.version,
          error: finished.error,
        });
        expect((await read(id)).variations).toHaveLength(1);
        expect((await api.post(`${STAGINGS}/${id}/cancel`)).status).toBe(end === 'cancel' ? 200 : 409);
      }
    });

    it('returns 409 for a queued virtual staging', async () => {
      const id = await created();
      expectClaimLost(await callAsRenderer({ claimToken: randomUUID(), staging: { id } as never }, 'heartbeat'));
      expect((await read(id)).version).toBe(1);
    });

    it('gets 409 on its next call after a cancel, and stores nothing', async () => {
      const id = await created();
      const claimed = await claim();
      const cancelled = (await api.post(`${STAGINGS}/${id}/cancel`)).body.data;
      expect(cancelled).toMatchObject({ status: 'cancelled', completedAt: expect.stringMatching(INSTANT) });
      const bytes = newPicture();
      const attachments = async () => (await database.query('SELECT FROM attachments')).length;
      const before = await attachments();
      expectClaimLost(await addVariation(claimed, 'Warm', [base64('a.png', bytes)]));
      expectClaimLost(await callAsRenderer(claimed, 'complete'));
      expect(await attachments()).toBe(before);
      expect(await database.query('SELECT FROM blobs WHERE sha256 = $1', [sha256(bytes)])).toEqual([]);
      expect(await read(id)).toMatchObject({ status: 'cancelled', version: cancelled.version, variations: [] });
    });

    it('either completes or is cancelled if both happen concurrently', async () => {
      for (let round = 0; round < 10; round++) {
        const id = await created();
        const claimed = await claim();
        await addVariation(claimed);
        const [done, cancelled] = await Promise.all([
          callAsRenderer(claimed, 'complete'),
          api.post(`${STAGINGS}/${id}/cancel`),
        ]);
        expect([done.status, cancelled.status].sort()).toEqual([200, 409]);
        expect((await read(id)).status).toBe(done.status === 200 ? 'succeeded' : 'cancelled');
      }
    });

    it('gets the same virtual staging for a repeated claim with one Idempotency-Key', async () => {
      await created();
      await created();
      const key = { 'Idempotency-Key': randomUUID() };
      const [first, second] = [
        await api.post(`${STAGINGS}/claims`, {}, key),
        await api.post(`${STAGINGS}/claims`, {}, key),
      ];
      expect(withoutExpiry(second.body.data)).toEqual(withoutExpiry(first.body.data));
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      const label = { label: 'Warm', files: [picture()] };
      for (let time = 0; time < 2; time++)
        await api.post(`${STAGINGS}/${first.body.data.staging.id}/variations`, label, {
          'X-Claim-Token': first.body.data.claimToken,
          'Idempotency-Key': `v-${key['Idempotency-Key']}`,
        });
      expect((await read(first.body.data.staging.id)).variations).toHaveLength(1);
    });
  });

  describe('with an expired lease', () => {
    it('a virtual staging is completed by another renderer, and the first one gets 409', async () => {
      const id = await created();
      const expired = await claim();
      await addVariation(expired, 'Of the expired claim');
      await expireLease(id);
      expectClaimLost(await callAsRenderer(expired, 'heartbeat'));
      const current = await claimWithRetry(new Api(services[1]!.baseUrl).withKey(me.apiKey));
      expect(current.staging).toMatchObject({ id, attempts: 2, progress: 0, variations: [] });
      expectClaimLost(await callAsRenderer(expired, 'complete'));
      expectClaimLost(await addVariation(expired));
      await addVariation(current, 'Of the current claim');
      expect((await callAsRenderer(current, 'complete')).status).toBe(200);
      expectClaimLost(await callAsRenderer(expired, 'complete'));
      const { status, variations } = await read(id);
      expect(status).toBe('succeeded');
      expect(variations).toMatchObject([{ label: 'Of the current claim' }]);
      const owned = await database.query('SELECT FROM staging_variations WHERE staging_id = $1', [id]);
      expect(owned).toHaveLength(1);
    });

    it('a virtual staging is queued again without a claim', async () => {
      const id = await created();
      const expired = await claim();
      await addVariation(expired);
      await expireLease(id);
      await until(async () => (await read(id)).status === 'queued');
      expect(await read(id)).toMatchObject({
        attempts: 1,
        progress: 0,
        variations: [],
        startedAt: null,
        leaseUntil: null,
      });
      expectClaimLost(await callAsRenderer(expired, 'complete'));
    });

    it('a virtual staging remains unchanged while it is archived, and is queued again once it is restored', async () => {
      const id = await created();
      await claim();
      const { version } = (await api.delete(`${STAGINGS}/${id}`)).body.data;
      await expireLease(id);
      const later = await created();
      await claim();
      await expireLease(later);
      await until(async () => (await read(later)).status === 'queued');
      expect(await read(id)).toMatchObject({ status: 'processing', version });
      await api.post(`${STAGINGS}/${id}/restore`);
      await until(async () => (await read(id)).status === 'queued');
      const { events } = (
        await api.get(`/v2/api/workspaces/${me.workspaceId}/events?types=virtual_staging.*&limit=500`)
      ).body.data;
      const own = events.filter(({ data }: any) => data.virtualStaging.id === id);
      expect(own.map(({ type }: any) => type)).toEqual(['virtual_staging.queued', 'virtual_staging.queued']);
    });

    it('fails after five claims', async () => {
      const id = await created();
      for (let attempts = 1; attempts <= 5; attempts++) {
        expect((await claimWithRetry()).staging).toMatchObject({ id, attempts });
        await expireLease(id);
      }
      expect((await claim()).staging).toBeNull();
      await until(async () => (await read(id)).status === 'failed');
      const failed = { status: 'failed', attempts: 5, error: expect.stringContaining('leases of 5 claims expired') };
      expect(await read(id)).toMatchObject({ ...failed, completedAt: expect.stringMatching(INSTANT) });
    });
  });

  it('requires the scopes of tours', async () => {
    const id = await created();
    const withScope = async (scope: string) =>
      new Api(service.baseUrl).withToken((await signIn(api, me, [scope])).access_token);
    const [reader, writer, remover, other] = await Promise.all(
      ['read:tours', 'write:tours', 'delete:tours', 'delete:projects'].map(withScope),
    );
    expect((await reader!.get(`${STAGINGS}/${id}`)).status).toBe(200);
    const own = (await read(id)).sourceFile.id;
    const note = await api.post('/v1/api/notes', { projectId: tour.projectId, files: [picture()] });
    const ofNote = note.body.data.files[0].id;
    const fileStatus = async (caller: Api, file: string) => (await caller.get(`/v1/api/attachments/${file}`)).status;
    expect([await fileStatus(reader!, own), await fileStatus(reader!, ofNote)]).toEqual([200, 404]);
    const staged = { tourId: tour.id, type: 'declutter', sourceFileId: ofNote };
    expect((await writer!.post(STAGINGS, staged)).body).toMatchObject({ status: 422, error: 'unknown_file' });
    expect((await writer!.post(STAGINGS, { ...staged, sourceFileId: own })).status).toBe(201);
    expect((await reader!.post(`${STAGINGS}/claims`, {})).status).toBe(403);
    expect((await writer!.delete(`${STAGINGS}/${id}`)).status).toBe(403);
    expect((await other!.get(`${STAGINGS}/${id}`)).status).toBe(403);
    expect((await writer!.post(`${STAGINGS}/claims`, {})).body.data.staging.id).toBe(id);
    expect((await remover!.delete(`${STAGINGS}/${id}`)).status).toBe(200);
  });
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 20_000; !(await condition());) {
    if (Date.now() > deadline) throw new Error('The condition was not met within 20 s');
    await sleep(100);
  }
}
