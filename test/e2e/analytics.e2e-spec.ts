import { randomUUID } from 'node:crypto';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { picture } from '../support/files.js';
import type { Database } from '../support/database.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { Tables } from '../support/tables.js';
import { signIn } from '../support/tokens.js';

const NOTES = '/v1/api/analytics/notes';
const OVERVIEW = '/v1/api/analytics/overview';
const STAGINGS = '/v1/api/virtual-stagings';

interface Fixture {
  created: string;
  closed?: string;
  due?: string;
  status?: string;
  priority?: string;
  assignee?: string;
  archived?: boolean;
  projectId?: string;
  location?: string;
}

const HOUR_MS = 60 * 60 * 1000;
const fromNow = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();

/** The expected counts were computed by hand from the fixtures. */
describe('analytics', () => {
  let database: Database;
  let service: SharedService;

  beforeAll(async () => {
    ({ database, service } = await shareService());
  });

  async function newWorkspace(): Promise<{ me: Credentials; api: Api }> {
    const me = await service.provision();
    return { me, api: new Api(service.baseUrl).withKey(me.apiKey) };
  }

  /** Creates notes over HTTP and sets their times with SQL. */
  async function addNotes({ me, api }: { me: Credentials; api: Api }, fixtures: Fixture[]): Promise<void> {
    for (const { created, closed, due, archived, projectId, ...fields } of fixtures) {
      const notes = `/v2/api/workspaces/${me.workspaceId}/notes`;
      const note = await api.post(notes, { ...fields, title: 'A note' });
      expect(note).toMatchObject({ status: 201 });
      const { id } = note.body.data;
      if (projectId) expect(await api.patch(`${notes}/${id}`, { projectId })).toMatchObject({ status: 200 });
      await database.query(
        `UPDATE notes SET created_at = $3, closed_at = $4, due_date = $5, archived_at = $6
          WHERE workspace_id = $1 AND id = $2`,
        [me.workspaceId, id, created, closed ?? null, due ?? null, archived ? new Date() : null],
      );
    }
  }

  /** Creates one virtual staging of the tour per outcome. */
  async function addStagings(
    { me, api }: { me: Credentials; api: Api },
    tourId: string,
    outcomes: string[],
  ): Promise<void> {
    const { workspaceId } = me;
    const files = [{ filename: 'room.png', data: picture(1_000).toString('base64') }];
    for (const outcome of outcomes) {
      const { id } = (await api.post(STAGINGS, { tourId, type: 'stage', files })).body.data;
      if (outcome === 'cancel') expect((await api.post(`${STAGINGS}/${id}/cancel`)).status).toBe(200);
      if (outcome === 'archive') expect((await api.delete(`${STAGINGS}/${id}`)).status).toBe(200);
      if (outcome !== 'succeed' && outcome !== 'fail') continue;
      const { claimToken } = (await api.post(`${STAGINGS}/claims`, { workspaceId })).body.data;
      const variation = { claimToken, label: 'Oak', files };
      if (outcome === 'fail')
        expect((await api.post(`${STAGINGS}/${id}/fail`, { claimToken, error: 'No room.' })).status).toBe(200);
      else {
        expect((await api.post(`${STAGINGS}/${id}/variations`, variation)).status).toBe(200);
        expect((await api.post(`${STAGINGS}/${id}/complete`, { claimToken })).status).toBe(200);
      }
    }
  }

  async function figures(api: Api, path: string) {
    const { status, body } = await api.get(path);
    expect({ status, body }).toMatchObject({ status: 200 });
    return body.data;
  }

  const row = ({ day, opened, closed, meanHoursToClose, overdue }: Record<string, unknown>) => [
    day,
    opened,
    closed,
    meanHoursToClose,
    overdue,
  ];

  describe('of notes', () => {
    let mine: { me: Credentials; api: Api };

    beforeAll(async () => {
      mine = await newWorkspace();
      await addNotes(mine, [
        // Opened before the range: overdue on its first day, closed on its second.
        { created: '2025-02-20T08:00:00Z', due: '2025-02-25T00:00:00Z', closed: '2025-03-02T08:00:00Z', status: 'closed' },
        // Overdue and closed before the range: not counted.
        { created: '2025-02-01T00:00:00Z', due: '2025-02-02T00:00:00Z', closed: '2025-02-03T00:00:00Z', status: 'closed' },
        // Opened at the first instant of the range; closed in time after 12 hours.
        { created: '2025-03-01T00:00:00Z', due: '2025-03-09T00:00:00Z', closed: '2025-03-01T12:00:00Z', status: 'closed', priority: 'high' },
        // Opened in the last millisecond of the first day; due at the end of the second, never closed.
        { created: '2025-03-01T23:59:59.999Z', due: '2025-03-03T00:00:00Z', priority: 'high', assignee: 'maria' },
        // Overdue since its creation; closed half an hour later.
        { created: '2025-03-04T10:00:00Z', due: '2025-01-01T00:00:00Z', closed: '2025-03-04T10:30:00Z', status: 'resolved', assignee: 'jan' },
        // Closed at the end of the range: not in it, and overdue until then.
        { created: '2025-03-04T10:00:00Z', due: '2025-03-04T12:00:00Z', closed: '2025-03-05T00:00:00Z', status: 'closed', assignee: 'maria' },
        // Due at the end of the range: not overdue yet.
        { created: '2025-03-04T11:00:00Z', due: '2025-03-05T00:00:00Z', priority: 'low', status: 'in_progress' },
        // Opened at the end of the range.
        { created: '2025-03-05T00:00:00Z', due: '2025-03-01T00:00:00Z' },
        // Archived: counted only as archived.
        { created: '2025-03-02T00:00:00Z', due: '2025-03-02T01:00:00Z', archived: true, priority: 'high' },
      ]); // prettier-ignore
    });

    it('notes are counted per day, including days without notes', async () => {
      const data = await figures(mine.api, `${NOTES}?from=2025-03-01&to=2025-03-05`);
      expect(data).toMatchObject({
        workspaceId: mine.me.workspaceId,
        timezone: 'UTC',
        granularity: 'day',
        from: '2025-03-01',
        to: '2025-03-05',
      });
      expect(data.buckets.map(row)).toEqual([
        ['2025-03-01', 2, 1, 12, 1],
        ['2025-03-02', 0, 1, 240, 0],
        ['2025-03-03', 0, 0, null, 1],
        ['2025-03-04', 3, 1, 0.5, 2],
      ]);
      // (12 + 240 + 0.5) / 3
      expect(data.totals).toEqual({ opened: 5, closed: 3, meanHoursToClose: 84.17, overdue: 2 });
      expect(data.buckets[1]).toMatchObject({ start: '2025-03-02T00:00:00.000Z', end: '2025-03-03T00:00:00.000Z' });
    });

    it('notes are counted by status, priority and assignee', async () => {
      const { byStatus, byPriority, byAssignee } = await figures(mine.api, `${NOTES}?from=2025-03-01&to=2025-03-05`);
      const rows = ({ groups }: { groups: Record<string, unknown>[] }) =>
        groups.map(({ value, opened, closed, overdue }) => [value, opened, closed, overdue]);
      expect(rows(byStatus)).toEqual([
        ['closed', 2, 2, 1],
        ['open', 1, 0, 1],
        ['resolved', 1, 1, 0],
        ['in_progress', 1, 0, 0],
      ]);
      expect(rows(byPriority)).toEqual([
        [null, 2, 2, 1],
        ['high', 2, 1, 1],
        ['low', 1, 0, 0],
      ]);
      expect(rows(byAssignee)).toEqual([
        [null, 2, 2, 0],
        ['maria', 2, 0, 2],
        ['jan', 1, 1, 0],
      ]);
      expect(byStatus.others).toBeNull();
    });

    it('notes are counted per week and month within the range', async () => {
      const weeks = await figures(mine.api, `${NOTES}?from=2025-02-20&to=2025-03-06&granularity=week`);
      expect(weeks.buckets.map(row)).toEqual([
        ['2025-02-20', 1, 0, null, 0],
        ['2025-02-24', 2, 2, 126, 0],
        ['2025-03-03', 4, 2, 7.25, 3],
      ]);
      const months = await figures(mine.api, `${NOTES}?from=2025-02-01&to=2025-04-01&granularity=month`);
      expect(months.buckets.map(row)).toEqual([
        ['2025-02-01', 2, 1, 48, 1],
        ['2025-03-01', 6, 4, 66.63, 3],
      ]);
    });

    it('note counts are listed for the 100 largest assignees and summed up for the others', async () => {
      const crowded = await newWorkspace();
      await addNotes(crowded, [{ created: '2025-03-01T00:00:00Z', assignee: 'a000' }]);
      await database.query(
        `INSERT INTO notes (workspace_id, id, number, status, assignee, source, created_at)
         SELECT $1, gen_random_uuid(), 10 + n, 'open', 'a' || lpad((n / 2)::text, 3, '0'), 'api', '2025-03-01'
           FROM generate_series(2, 209) n`,
        [crowded.me.workspaceId],
      );
      const { byAssignee, totals } = await figures(crowded.api, `${NOTES}?from=2025-03-01&to=2025-03-02`);
      expect(totals.opened).toBe(209);
      expect(byAssignee.groups).toHaveLength(100);
      expect(byAssignee.groups[0]).toEqual({ value: 'a001', opened: 2, closed: 0, overdue: 0 });
      // a101 to a104 with two each, and a000 with one.
      expect(byAssignee.others).toEqual({ groups: 5, opened: 9, closed: 0, overdue: 0 });
    });
  });

  it('uses the days of the timezone, including changes to and from daylight saving time', async () => {
    const mine = await newWorkspace();
    await addNotes(mine, [
      { created: '2026-03-28T22:59:59.999Z' }, // 28 March, 23:59 in Vienna
      { created: '2026-03-28T23:00:00Z' }, // 29 March, 00:00
      { created: '2026-03-29T21:59:59Z' }, // 29 March, 23:59, in summer time
      { created: '2026-03-29T22:00:00Z' }, // 30 March, 00:00
      { created: '2026-10-24T22:00:00Z' }, // 25 October, 00:00
      { created: '2026-10-25T22:59:59Z' }, // 25 October, 23:59, in winter time
      { created: '2026-10-25T23:00:00Z' }, // 26 October, 00:00
    ]);
    const opened = async (query: string) =>
      (await figures(mine.api, `${NOTES}?${query}`)).buckets.map(
        ({ day, start, end, opened: count }: { day: string; start: string; end: string; opened: number }) => [
          day,
          (Date.parse(end) - Date.parse(start)) / HOUR_MS,
          count,
        ],
      );
    const march = [
      ['2026-03-28', 24, 1],
      ['2026-03-29', 23, 2],
      ['2026-03-30', 24, 1],
    ];
    expect(await opened('from=2026-03-28&to=2026-03-31&timezone=Europe/Vienna')).toEqual(march);
    expect(await opened('from=2026-03-28&to=2026-03-31&timezone=europe/VIENNA')).toEqual(march);
    expect(await opened('from=2026-10-25&to=2026-10-27&timezone=Europe/Vienna')).toEqual([
      ['2026-10-25', 25, 2],
      ['2026-10-26', 24, 1],
    ]);
    expect(await opened('from=2026-03-28&to=2026-03-31&timezone=UTC')).toEqual([
      ['2026-03-28', 24, 2],
      ['2026-03-29', 24, 2],
      ['2026-03-30', 24, 0],
    ]);
    // By default the timezone of the workspace.
    await database.query(`UPDATE workspaces SET timezone = 'Europe/Vienna' WHERE id = $1`, [mine.me.workspaceId]);
    expect(await opened('from=2026-03-28&to=2026-03-31')).toEqual(march);
  });

  it('returns null for overdue notes of future buckets', async () => {
    const mine = await newWorkspace();
    await addNotes(mine, [
      { created: fromNow(-80), due: fromNow(-1) },
      { created: fromNow(-80), due: fromNow(30) },
    ]);
    const day = (hours: number) => fromNow(hours).slice(0, 10);
    const { buckets, totals } = await figures(mine.api, `${NOTES}?from=${day(-24)}&to=${day(72)}`);
    // The second note becomes overdue in the last bucket, unless it is closed before.
    expect(buckets.slice(1).map(({ overdue }: { overdue: unknown }) => overdue)).toEqual([1, null, null]);
    expect(totals.overdue).toBe(1);
  });

  it('returns the last 30 days by default', async () => {
    const mine = await newWorkspace();
    await addNotes(mine, [{ created: fromNow(-1) }, { created: fromNow(-31 * 24) }]);
    const { buckets, totals } = await figures(mine.api, NOTES);
    expect(buckets).toHaveLength(30);
    expect(totals.opened).toBe(1);
    expect(Date.parse(buckets[29].start)).toBeLessThanOrEqual(Date.now());
    expect(Date.parse(buckets[29].end)).toBeGreaterThan(Date.now() - HOUR_MS);
  });

  describe('of a project or a location', () => {
    let mine: { me: Credentials; api: Api };
    let projects: string[];
    const range = 'from=2025-03-01&to=2025-03-02';

    beforeAll(async () => {
      mine = await newWorkspace();
      const columns = [
        { name: 'TPLNR', type: 'text' },
        { name: 'Parent', type: 'hierarchyParent' },
      ];
      const items = [
        { tplnr: 'A', parent: null },
        { tplnr: 'A-1', parent: 'A' },
        { tplnr: 'A-1-X', parent: 'A-1' },
        { tplnr: 'B', parent: 'GONE' },
      ];
      const tables = Tables.of(service, mine.me);
      expect((await tables.bulk('locations', { name: 'Sites', columns, items })).status).toBe(201);
      const { api } = mine;
      projects = [];
      for (const name of ['One', 'Two']) projects.push((await api.post('/v1/api/projects', { name })).body.data.id);
      const [one, two] = projects as [string, string];
      const created = '2025-03-01T10:00:00Z';
      await addNotes(mine, [
        { created, projectId: one },
        { created, projectId: one, location: 'A-1-X' },
        { created, projectId: two, location: 'A' },
        { created, location: 'B', due: created },
        { created, archived: true, location: 'A' },
      ]);
      const tour = async (body: object) => (await api.post('/v1/api/tours', body)).body.data.id as string;
      const first = await tour({ projectId: one, title: 'First', status: 'published' });
      const second = await tour({ projectId: two, title: 'Second' });
      const archivedTour = await tour({ projectId: one, title: 'Archived' });
      for (const [tourId, location] of [
        [first, 'A-1'],
        [first, 'A-1-X'],
        [second, 'B'],
        [second, null],
      ])
        // prettier-ignore
        expect((await api.post('/v1/api/tags', { tourId, label: 'A tag', location })).status).toBe(201);
      expect((await api.delete(`/v1/api/tours/${archivedTour}`)).status).toBe(200);
      await database.query(
        `UPDATE tours SET created_at = $2, published_at = CASE WHEN published_at IS NOT NULL THEN $2::timestamptz END
          WHERE workspace_id = $1`,
        [mine.me.workspaceId, created],
      );
      await database.query('UPDATE tags SET created_at = $2 WHERE workspace_id = $1', [mine.me.workspaceId, created]);
      await addStagings(mine, first, ['succeed', 'fail']);
      await addStagings(mine, second, ['cancel', 'archive', 'wait']);
      await database.query(
        `UPDATE stagings SET created_at = $2, completed_at = CASE WHEN completed_at IS NOT NULL THEN $2::timestamptz END
          WHERE workspace_id = $1`,
        [mine.me.workspaceId, created],
      );
    });

    const opened = async (query: string) => (await figures(mine.api, `${NOTES}?${range}&${query}`)).totals.opened;

    it('counts the notes of the project, and of the location with its subtree', async () => {
      expect(await opened('')).toBe(4);
      expect(await opened(`projectId=${projects[0]}`)).toBe(2);
      expect(await opened('location=A')).toBe(2);
      expect(await opened('location=A-1')).toBe(1);
      expect(await opened('location=B&locationKey=sites')).toBe(1);
      expect(await opened(`location=A&projectId=${projects[1]}`)).toBe(1);
    });

    it('counts its tours, tags and virtual stagings', async () => {
      const tours = async (query: string) =>
        (await figures(mine.api, `/v1/api/analytics/tours?${range}&${query}`)).totals;
      expect(await tours('')).toEqual({
        toursCreated: 2,
        toursPublished: 1,
        tagsCreated: 4,
        stagingsCreated: 4,
        stagingsSucceeded: 1,
        stagingsFailed: 1,
      });
      expect(await tours(`projectId=${projects[1]}`)).toMatchObject({
        toursCreated: 1,
        toursPublished: 0,
        tagsCreated: 2,
        stagingsCreated: 2,
        stagingsFailed: 0,
      });
      expect(await tours('location=A')).toMatchObject({
        toursCreated: 1,
        toursPublished: 1,
        tagsCreated: 2,
        stagingsCreated: 2,
        stagingsSucceeded: 1,
        stagingsFailed: 1,
      });
      const { buckets } = await figures(mine.api, '/v1/api/analytics/tours?from=2025-02-28&to=2025-03-03');
      expect(buckets.map(({ tagsCreated }: { tagsCreated: number }) => tagsCreated)).toEqual([0, 4, 0]);
    });

    it('returns the current counts in the overview', async () => {
      const { workspaceId } = mine.me;
      expect(await figures(mine.api, OVERVIEW)).toEqual({
        workspaceId,
        notes: { total: 4, open: 4, overdue: 1, archived: 1 },
        tours: { total: 2, draft: 1, processing: 0, published: 1, failed: 0, archived: 1 },
        tags: { total: 4, archived: 0 },
        stagings: { total: 4, queued: 1, processing: 0, succeeded: 1, failed: 1, cancelled: 1, archived: 1 },
      });
      expect(await figures(mine.api, `${OVERVIEW}?location=A-1&projectId=${projects[0]}`)).toEqual({
        workspaceId,
        notes: { total: 1, open: 1, overdue: 0, archived: 0 },
        tours: { total: 1, draft: 0, processing: 0, published: 1, failed: 0, archived: 0 },
        tags: { total: 2, archived: 0 },
        stagings: { total: 2, queued: 0, processing: 0, succeeded: 1, failed: 1, cancelled: 0, archived: 0 },
      });
    });

    it.each([
      ['location', 'location=C'],
      ['location', 'location=%20'],
      ['locationKey', 'location=A&locationKey=Nowhere'],
      ['locationKey', 'locationKey=Sites'],
    ])('returns 422 for an unknown %s: %s', async (field, query) => {
      const { status, body } = await mine.api.get(`${OVERVIEW}?${query}`);
      expect({ status, field: body.details.errors[0].field }).toEqual({ status: 422, field });
    });
  });

  it('counts the rows and unresolved references of tables', async () => {
    const { me, api } = await newWorkspace();
    expect((await figures(api, '/v1/api/analytics/tables')).tables).toEqual([]);
    const tables = Tables.of(service, me);
    const key = { name: 'Key', type: 'text' };
    const bulk = async (surface: 'locations' | 'assets' | 'lists', name: string, columns: object[], items: object[]) =>
      expect((await tables.bulk(surface, { name, columns: [key, ...columns] as never, items })).status).toBe(201);
    const parent = { name: 'Parent', type: 'hierarchyParent' };
    const site = { name: 'Site', type: 'reference' };
    const kind = { name: 'Kind', type: 'reference', options: { target: { entity: 'list', table: 'Kinds' } } };
    const maker = { name: 'Maker', type: 'reference', options: { target: { entity: 'list', table: 'Makers' } } };
    await bulk('locations', 'Sites', [parent], [{ key: 'A' }, { key: 'B', parent: 'A' }, { key: 'C', parent: 'Z' }]);
    await bulk('locations', 'Yards', [], [{ key: 'Y' }]);
    await bulk('lists', 'Kinds', [], [{ key: 'pump' }, { key: 'gone' }]);
    const items = [
      { key: '1', site: 'A', kind: 'pump' },
      { key: '2', site: 'Y', kind: 'gone', maker: 'M' },
      { key: '3', site: 'X', kind: 'fan', maker: 'M' },
      { key: '4' },
    ];
    await bulk('assets', 'Pumps', [site, kind, maker], items);
    const { tables: before } = await figures(api, '/v1/api/analytics/tables');
    const kinds = before.find(({ name }: { name: string }) => name === 'Kinds').id.replaceAll('-', '');
    const schema = `ws_${me.workspaceId.replaceAll('-', '')}`;
    await database.query(`DELETE FROM ${schema}.t_${kinds} WHERE c1 = 'gone'`);

    const { totals, tables: after } = await figures(api, '/v1/api/analytics/tables');
    expect(after.map(({ id, ...rest }: { id: string }) => [typeof id, rest])).toEqual(
      [
        {
          entity: 'asset',
          name: 'Pumps',
          rows: 4,
          links: [
            { column: 'site', set: 3, unresolved: 1 },
            { column: 'kind', set: 3, unresolved: 2 },
            { column: 'maker', set: 2, unresolved: 2 },
          ],
        },
        { entity: 'list', name: 'Kinds', rows: 1, links: [] },
        { entity: 'location', name: 'Sites', rows: 3, links: [{ column: 'parent', set: 2, unresolved: 1 }] },
        { entity: 'location', name: 'Yards', rows: 1, links: [] },
      ].map((each) => ['string', each]),
    );
    expect(totals).toEqual({ tables: 4, rows: 9, unresolvedLinks: 6 });
  });

  describe('an invalid query', () => {
    let api: Api;
    beforeAll(async () => {
      ({ api } = await newWorkspace());
    });

    it.each([
      ['from', 'from=2026-02-30'],
      ['from', 'from=2026-03-01T00:00:00Z'],
      ['to', 'to=tomorrow'],
      ['to', 'from=2026-03-02&to=2026-03-02'],
      ['to', 'from=2999-01-01'],
      ['granularity', 'granularity=hour'],
      ['timezone', 'timezone=Vienna'],
      ['timezone', 'timezone=%2B02:00'],
      ['projectId', 'projectId=7'],
      ['workspaceId', 'workspaceId=7'],
      ['colour', 'colour=red'],
      ['location', 'location=%00'],
    ])('returns 400 and names %s: %s', async (field, query) => {
      const { status, body } = await api.get(`${NOTES}?${query}`);
      expect({ status, field: body.details?.errors[0].field }).toEqual({ status: 400, field });
    });

    it('returns 400 with the limit for more than 1,000 buckets', async () => {
      expect((await figures(api, `${NOTES}?from=2020-01-01&to=2022-09-27`)).buckets).toHaveLength(1000);
      const { status, body } = await api.get(`${NOTES}?from=2020-01-01&to=2022-09-28`);
      expect(status).toBe(400);
      expect(body.details.errors[0]).toMatchObject({ field: 'to', code: 'too_many_buckets' });
      expect(body.message).toContain('1,000');
      expect((await figures(api, `${NOTES}?from=2020-01-01&to=2022-09-28&granularity=week`)).buckets).toHaveLength(144);
    });
  });

  it('requires read:analytics, and returns 404 for workspaces of others', async () => {
    const [mine, theirs] = [await newWorkspace(), await newWorkspace()];
    await addNotes(theirs, [{ created: fromNow(-1) }]);
    const { access_token: narrow } = await signIn(new Api(service.baseUrl), mine.me, ['read:analytics']);
    const { access_token: other } = await signIn(new Api(service.baseUrl), mine.me, ['delete:projects', 'read:users']);
    const project = (await theirs.api.post('/v1/api/projects', { name: 'Theirs' })).body.data.id;
    for (const path of ['overview', 'notes', 'tours', 'tables'].map((name) => `/v1/api/analytics/${name}`)) {
      expect((await mine.api.withToken(narrow).get(path)).status).toBe(200);
      expect((await mine.api.withToken(other).get(path)).status).toBe(403);
      const answer = async (query: string) => {
        const { status, body } = await mine.api.get(`${path}?${query}`);
        return { status, error: body.error, message: body.message };
      };
      const foreign = await answer(`workspaceId=${theirs.me.workspaceId}`);
      expect(foreign.status).toBe(404);
      expect(foreign).toEqual(await answer(`workspaceId=${randomUUID()}`));
      if (path.endsWith('tables')) continue;
      expect((await answer(`projectId=${project}`)).status).toBe(404);
      expect(await answer(`projectId=${project}`)).toEqual(await answer(`projectId=${randomUUID()}`));
    }
    expect((await figures(mine.api, OVERVIEW)).notes.total).toBe(0);
    expect((await figures(mine.api, NOTES)).totals.opened).toBe(0);
  });

  it('requires workspaceId from members of several workspaces', async () => {
    const { me } = await newWorkspace();
    const { id } = await service.operator<{ id: string }>('workspace', 'create', '--name', 'Another');
    const email = `${randomUUID()}@example.com`;
    const user = await service.operator<{ id: string }>(
      ...['user', 'create', '--email', email, '--workspace', id, '--workspace', me.workspaceId],
    );
    const client = await service.operator<Credentials>('client', 'create', '--user', user.id);
    const api = await new Api(service.baseUrl).signIn(client);
    const { status, body } = await api.get(NOTES);
    expect({ status, field: body.details.errors[0].field }).toEqual({ status: 400, field: 'workspaceId' });
    expect((await figures(api, `${NOTES}?workspaceId=${id.toUpperCase()}`)).workspaceId).toBe(id);
  });
});
