import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { type Answer, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { base64, bytesOf, download, file, form, localUrl, newPicture, sendForm, sha256 } from '../support/files.js';
import { TestDatabase, TestService } from '../support/service.js';
import { signIn } from '../support/tokens.js';

const STAGINGS = '/v1/api/virtual-stagings';
const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

interface Claim {
  claimToken: string;
  staging: { id: string; workspaceId: string; sourceFile: { url: string }; attempts: number };
}

describe('virtual staging', () => {
  let database: TestDatabase;
  let services: TestService[];
  let service: TestService;
  let me: Credentials;
  let api: Api;
  let stranger: Api;
  let tour: { id: string; projectId: string };

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database);
    // Bytes lie on the disk of the first: both have one, as instances of one deployment do.
    services = [service, await TestService.start(database, { DATA_DIR: service.env['DATA_DIR']! })];
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
    stranger = new Api(service.baseUrl).withKey((await service.provision()).apiKey);
  });

  // Each test has a queue of its own: whatever another has left is cancelled.
  beforeEach(async () => {
    tour = await newTour();
  });

  afterEach(async () => {
    for (const status of ['queued', 'processing']) {
      const { items } = (await api.get(`${STAGINGS}?status=${status}&limit=500`)).body.data;
      for (const { id } of items) await api.post(`${STAGINGS}/${id}/cancel`);
    }
  });

  afterAll(async () => {
    await Promise.all((services ?? []).map((each) => each.stop()));
    await database?.drop();
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
  const say = ({ claimToken, staging }: Claim, verb: string, body: object = {}, caller = api): Promise<Answer> =>
    caller.post(`${STAGINGS}/${staging.id}/${verb}`, body, { 'X-Claim-Token': claimToken });
  const addVariation = (claimed: Claim, label = 'Warm', files = [base64('picture.png', newPicture())], caller = api) =>
    say(claimed, 'variations', { label, files }, caller);

  /** What an instance is queueing again at this very moment is passed over. */
  async function claimSoon(caller = api): Promise<Claim> {
    let claimed = await claim({}, caller);
    await until(async () => (claimed.staging ? true : Boolean((claimed = await claim({}, caller)).staging)));
    return claimed;
  }

  /** The lease of whoever has it has run out. */
  const goSilent = (id: string) =>
    database.query(`UPDATE stagings SET lease_until = now() - interval '1 second' WHERE id = $1`, [id]);

  function expectLost({ status, body }: Answer): void {
    expect({ status, error: body.error }).toEqual({ status: 409, error: 'claim_lost' });
  }

  /** Everything that a renderer is. @returns the ids of what it has done. */
  async function renderer(caller: Api): Promise<string[]> {
    const done: string[] = [];
    for (;;) {
      const { data } = (await caller.post(`${STAGINGS}/claims`, { leaseSeconds: 60 })).body;
      if (!data.staging) return done;
      const { id, sourceFile } = data.staging;
      const held = caller.with({ 'X-Claim-Token': data.claimToken });
      await held.post(`${STAGINGS}/${id}/heartbeat`, { progress: 50 });
      const source = await download(localUrl(caller, sourceFile.url));
      const staged = await sharp(source.bytes).tint('#ffb060').png().toBuffer();
      await sendForm(held, `${STAGINGS}/${id}/variations`, form({ label: 'Warm' }, [file('warm.png', staged)]));
      if ((await held.post(`${STAGINGS}/${id}/complete`)).status === 200) done.push(id);
    }
  }

  describe('for those who ask for it', () => {
    it('is queued with its picture, in the project of its tour', async () => {
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

    it('takes a form, and an image that a record has already, to the same end', async () => {
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

    it('takes images alone, and one', async () => {
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

    it('takes no image of another workspace', async () => {
      const project = await stranger.post('/v1/api/projects', { name: 'Theirs' });
      const note = await stranger.post('/v1/api/notes', { projectId: project.body.data.id, files: [picture()] });
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
    ])('names %s where it is at fault', async (field, wrong) => {
      const { status, body } = await create(wrong);
      expect(status).toBe(400);
      expect(body.details.errors.map((fault: { field: string }) => fault.field)).toContain(field);
    });

    it('is created once for an external id, and changed while it is queued', async () => {
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

    it('is created once by those who create it at once', async () => {
      const externalId = randomUUID();
      const callers = services.map(({ baseUrl }) => new Api(baseUrl).withKey(me.apiKey));
      const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => create({ externalId }, callers[at % 2])));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
      expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    });

    it('is changed while it is queued, and not later', async () => {
      const id = await created();
      const changed = await api.patch(`${STAGINGS}/${id}`, { style: 'industrial', type: 'enhance', sceneId: null });
      expect(changed.body.data).toMatchObject({ style: 'industrial', type: 'enhance', version: 2 });
      expect((await api.patch(`${STAGINGS}/${id}`, { style: 'x' }, { 'If-Match': '"1"' })).status).toBe(412);
      for (const wrong of [{ tourId: tour.id }, { status: 'failed' }, { progress: 5 }, { type: null }])
        expect((await api.patch(`${STAGINGS}/${id}`, wrong)).status).toBe(400);
      await claim();
      const late = await api.patch(`${STAGINGS}/${id}`, { style: 'x' });
      expect({ status: late.status, error: late.body.error }).toEqual({ status: 409, error: 'not_queued' });
    });

    it('is listed by project, tour, status and type, in the fields that are wanted', async () => {
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

    it('is put away, where no renderer finds it, and brought back', async () => {
      const id = await created();
      expect((await api.delete(`${STAGINGS}/${id}`)).body.data.archivedAt).toMatch(INSTANT);
      expect(await claim()).toEqual({ claimToken: null, staging: null });
      expect((await api.post(`${STAGINGS}/${id}/cancel`)).status).toBe(409);
      expect((await api.post(`${STAGINGS}/${id}/restore`)).body.data).toMatchObject({ archivedAt: null });
      const claimed = await claim();
      expect(claimed.staging.id).toBe(id);
      await api.delete(`${STAGINGS}/${id}`);
      expectLost(await say(claimed, 'heartbeat'));
      await api.post(`${STAGINGS}/${id}/restore`);
      expect((await say(claimed, 'heartbeat')).status).toBe(200);
    });

    it('is counted with its tour', async () => {
      const ids = [await created(), await created()];
      const count = async () => (await api.get(`/v1/api/tours/${tour.id}`)).body.data.counts.stagings;
      expect(await count()).toBe(2);
      await api.delete(`${STAGINGS}/${ids[0]}`);
      expect(await count()).toBe(1);
    });

    it('is not made in a tour that is put away', async () => {
      await api.delete(`/v1/api/tours/${tour.id}`);
      expect((await create()).status).toBe(409);
    });
  });

  describe('of a foreign workspace', () => {
    it('is not found, whatever is tried', async () => {
      const id = await created();
      expect((await create({}, stranger)).status).toBe(404);
      expect(await claim({}, stranger)).toEqual({ claimToken: null, staging: null });
      expect((await stranger.post(`${STAGINGS}/claims`, { workspaceId: me.workspaceId })).status).toBe(404);
      const claimed = await claim();
      const tries = (at: string) => [
        stranger.get(`${STAGINGS}/${at}`),
        stranger.patch(`${STAGINGS}/${at}`, { style: 'x' }),
        stranger.delete(`${STAGINGS}/${at}`),
        stranger.post(`${STAGINGS}/${at}/restore`),
        stranger.post(`${STAGINGS}/${at}/cancel`),
        say({ ...claimed, staging: { ...claimed.staging, id: at } }, 'heartbeat', {}, stranger),
        say({ ...claimed, staging: { ...claimed.staging, id: at } }, 'complete', {}, stranger),
        say({ ...claimed, staging: { ...claimed.staging, id: at } }, 'fail', { error: 'x' }, stranger),
        addVariation({ ...claimed, staging: { ...claimed.staging, id: at } }, 'x', undefined, stranger),
      ];
      const plain = async (answers: Promise<Answer>[]) =>
        (await Promise.all(answers)).map(({ status, body }) => ({ status, error: body.error, message: body.message }));
      const foreign = await plain(tries(id));
      expect(new Set(foreign.map(({ status }) => status))).toEqual(new Set([404]));
      expect(foreign).toEqual(await plain(tries(randomUUID())));
      expect(await read(id)).toMatchObject({ status: 'processing', variations: [], version: 2 });
    });
  });

  describe('for a renderer', () => {
    it('is twenty lines', async () => {
      const id = await created();
      expect(await renderer(api)).toEqual([id]);
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

    it('begins with the oldest, of the types that it can do', async () => {
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
      [{ leaseSeconds: null }],
      [{ types: [] }],
      [{ types: ['paint'] }],
      [{ workspaceId: 'x' }],
      [{ nonsense: 1 }],
    ])('is 400 where it asks for %j', async (wrong) => {
      expect((await api.post(`${STAGINGS}/claims`, wrong)).status).toBe(400);
    });

    it('has a lease, which every call extends', async () => {
      const id = await created();
      const leaseS = (of: { leaseUntil: string; updatedAt: string }) =>
        Math.round((Date.parse(of.leaseUntil) - Date.parse(of.updatedAt)) / 1_000);
      const claimed = await claim({ leaseSeconds: 3_600 });
      expect(leaseS(claimed.staging as never)).toBe(3_600);
      const beat = await say(claimed, 'heartbeat', { progress: 30 });
      expect(leaseS(beat.body.data)).toBe(3_600);
      expect(beat.body.data).toMatchObject({ id, progress: 30, status: 'processing' });
      expect(Date.parse(beat.body.data.leaseUntil)).toBeGreaterThan(Date.parse((claimed.staging as any).leaseUntil));
      const varied = await addVariation(claimed);
      expect(Date.parse(varied.body.data.leaseUntil)).toBeGreaterThan(Date.parse(beat.body.data.leaseUntil));
      expect(varied.body.data.progress).toBe(30);
    });

    it('shows its token in the header or in the body, and nobody else sees it', async () => {
      const id = await created();
      const claimed = await claim();
      const { claimToken } = claimed;
      expect((await api.post(`${STAGINGS}/${id}/heartbeat`, { claimToken, progress: 1 })).status).toBe(200);
      const fields = { claimToken, label: 'Warm' };
      expect((await sendForm(api, `${STAGINGS}/${id}/variations`, form(fields, ['picture.png']))).status).toBe(200);
      for (const wrong of [undefined, '', 'x', 7, null])
        expect((await api.post(`${STAGINGS}/${id}/heartbeat`, { claimToken: wrong })).status).toBe(400);
      expectLost(await api.post(`${STAGINGS}/${id}/heartbeat`, { claimToken: randomUUID() }));
      const seen = [await api.get(`${STAGINGS}/${id}`), await api.get(STAGINGS)].map(({ body }) =>
        JSON.stringify(body),
      );
      for (const text of seen) expect(text).not.toContain(claimToken);
      expect((await api.post(`${STAGINGS}/${id}/complete`, { claimToken })).status).toBe(200);
    });

    it('adds images alone, several at once, each with the label', async () => {
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

    it('does not succeed with nothing', async () => {
      const id = await created();
      const claimed = await claim();
      const { status, body } = await say(claimed, 'complete');
      expect({ status, error: body.error }).toEqual({ status: 422, error: 'no_variations' });
      expect((await read(id)).status).toBe('processing');
    });

    it('may fail, with why', async () => {
      const id = await created();
      const claimed = await claim();
      expect((await say(claimed, 'fail', {})).status).toBe(400);
      const { body } = await say(claimed, 'fail', { error: 'The picture shows no room.' });
      const failed = { id, status: 'failed', error: 'The picture shows no room.', leaseUntil: null };
      expect(body.data).toMatchObject({ ...failed, completedAt: expect.stringMatching(INSTANT) });
      expect((await claim()).staging).toBeNull();
    });

    it('says nothing more about what is over', async () => {
      for (const end of ['complete', 'fail', 'cancel']) {
        const id = await created();
        const claimed = await claim();
        await addVariation(claimed);
        // A cancel needs no claim.
        expect((await say(claimed, end, end === 'fail' ? { error: 'x' } : undefined)).status).toBe(200);
        const over = await read(id);
        for (const late of [
          await say(claimed, 'heartbeat', { progress: 1 }),
          await addVariation(claimed),
          await say(claimed, 'complete'),
          await say(claimed, 'fail', { error: 'y' }),
        ]) {
          if (end === 'cancel') expectLost(late);
          else {
            expect([late.status, late.body.error]).toEqual([409, 'already_finished']);
            expect(late.body.message).toContain(over.status);
          }
        }
        expectLost(await say({ ...claimed, claimToken: randomUUID() }, 'complete'));
        expect(await read(id)).toMatchObject({ status: over.status, version: over.version, error: over.error });
        expect((await read(id)).variations).toHaveLength(1);
        expect((await api.post(`${STAGINGS}/${id}/cancel`)).status).toBe(end === 'cancel' ? 200 : 409);
      }
    });

    it('says nothing about what is queued', async () => {
      const id = await created();
      expectLost(await say({ claimToken: randomUUID(), staging: { id } as never }, 'heartbeat'));
      expect((await read(id)).version).toBe(1);
    });

    it('is told with its next call that the staging was cancelled, and nothing is stored', async () => {
      const id = await created();
      const claimed = await claim();
      const cancelled = (await api.post(`${STAGINGS}/${id}/cancel`)).body.data;
      expect(cancelled).toMatchObject({ status: 'cancelled', completedAt: expect.stringMatching(INSTANT) });
      const bytes = newPicture();
      const attachments = async () => (await database.query('SELECT FROM attachments')).length;
      const before = await attachments();
      expectLost(await addVariation(claimed, 'Warm', [base64('a.png', bytes)]));
      expectLost(await say(claimed, 'complete'));
      expect(await attachments()).toBe(before);
      expect(await database.query('SELECT FROM blobs WHERE sha256 = $1', [sha256(bytes)])).toEqual([]);
      expect(await read(id)).toMatchObject({ status: 'cancelled', version: cancelled.version, variations: [] });
    });

    it('is stopped by a cancel at any moment, or is done before it', async () => {
      for (let round = 0; round < 10; round++) {
        const id = await created();
        const claimed = await claim();
        await addVariation(claimed);
        const [done, cancelled] = await Promise.all([say(claimed, 'complete'), api.post(`${STAGINGS}/${id}/cancel`)]);
        expect([done.status, cancelled.status].sort()).toEqual([200, 409]);
        expect((await read(id)).status).toBe(done.status === 200 ? 'succeeded' : 'cancelled');
      }
    });

    it('may claim again with the same Idempotency-Key, and has the same staging', async () => {
      await created();
      await created();
      const key = { 'Idempotency-Key': randomUUID() };
      const [first, second] = [
        await api.post(`${STAGINGS}/claims`, {}, key),
        await api.post(`${STAGINGS}/claims`, {}, key),
      ];
      expect(second.body.data).toEqual(first.body.data);
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

  describe('whose renderer goes silent', () => {
    it('is done by another, and the late one is told so', async () => {
      const id = await created();
      const dead = await claim();
      await addVariation(dead, 'Of the dead');
      await goSilent(id);
      expectLost(await say(dead, 'heartbeat'));
      const alive = await claimSoon(new Api(services[1]!.baseUrl).withKey(me.apiKey));
      expect(alive.staging).toMatchObject({ id, attempts: 2, progress: 0, variations: [] });
      expectLost(await say(dead, 'complete'));
      expectLost(await addVariation(dead));
      await addVariation(alive, 'Of the living');
      expect((await say(alive, 'complete')).status).toBe(200);
      expectLost(await say(dead, 'complete'));
      const { status, variations } = await read(id);
      expect(status).toBe('succeeded');
      expect(variations).toMatchObject([{ label: 'Of the living' }]);
      const owned = await database.query('SELECT FROM staging_variations WHERE staging_id = $1', [id]);
      expect(owned).toHaveLength(1);
    });

    it('is seen to be queued again, though no renderer asks', async () => {
      const id = await created();
      const dead = await claim();
      await addVariation(dead);
      await goSilent(id);
      await until(async () => (await read(id)).status === 'queued');
      expect(await read(id)).toMatchObject({
        attempts: 1,
        progress: 0,
        variations: [],
        startedAt: null,
        leaseUntil: null,
      });
      expectLost(await say(dead, 'complete'));
    });

    it('fails after five such claims', async () => {
      const id = await created();
      for (let attempts = 1; attempts <= 5; attempts++) {
        expect((await claimSoon()).staging).toMatchObject({ id, attempts });
        await goSilent(id);
      }
      expect((await claim()).staging).toBeNull();
      await until(async () => (await read(id)).status === 'failed');
      const failed = { status: 'failed', attempts: 5, error: expect.stringContaining('5 claims went silent') };
      expect(await read(id)).toMatchObject({ ...failed, completedAt: expect.stringMatching(INSTANT) });
    });
  });

  it('is done exactly once each: 100 by 8 renderers over two services', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => created()));
    const renderers = Array.from({ length: 8 }, (_, at) =>
      renderer(new Api(services[at % 2]!.baseUrl).withKey(me.apiKey)),
    );
    const done = (await Promise.all(renderers)).flat();
    expect([...done].sort()).toEqual([...ids].sort());
    const { items } = (await api.get(`${STAGINGS}?tourId=${tour.id}&status=succeeded&limit=500`)).body.data;
    expect(items).toHaveLength(100);
    for (const { attempts, variations } of items) expect([attempts, variations.length]).toEqual([1, 1]);
  });

  it('needs the scopes of tours', async () => {
    const id = await created();
    const withScope = async (scope: string) =>
      new Api(service.baseUrl).withToken((await signIn(api, me, [scope])).access_token);
    const [reader, writer, remover, other] = await Promise.all(
      ['read:tours', 'write:tours', 'delete:tours', 'delete:projects'].map(withScope),
    );
    expect((await reader!.get(`${STAGINGS}/${id}`)).status).toBe(200);
    expect((await reader!.post(`${STAGINGS}/claims`, {})).status).toBe(403);
    expect((await writer!.delete(`${STAGINGS}/${id}`)).status).toBe(403);
    expect((await other!.get(`${STAGINGS}/${id}`)).status).toBe(403);
    expect((await writer!.post(`${STAGINGS}/claims`, {})).body.data.staging.id).toBe(id);
    expect((await remover!.delete(`${STAGINGS}/${id}`)).status).toBe(200);
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 20_000; !(await holds());) {
    if (Date.now() > deadline) throw new Error('It did not come about within 20 s');
    await sleep(100);
  }
}
