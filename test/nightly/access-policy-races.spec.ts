import { Api, type ApiResponse } from '../support/api.js';
import { lines, NDJSON } from '../support/imports.js';
import { type SharedService, shareServices } from '../support/shared-services.js';

const ROWS = 20_000;
const PAGE = 1_000;
/** Policies alternate between two plants. */
const PLANTS = ['A', 'B'] as const;
const CHANGES = Number(process.env['POLICY_CHANGES'] ?? 12);

interface Finished {
  startedAt: number;
  endedAt: number;
  plants: Set<string>;
  hasPrice: Set<boolean>;
  rows: number;
}

/** While the policy of a caller alternates, each request obeys one policy entirely, and later ones the new policy. */
describe('a policy that changes amid exports and pages on two instances', () => {
  let services: SharedService[];
  let owner: Api;
  let callers: Api[];
  let workspace: string;
  let table: string;
  let policyId: string;

  const rulesOf = (plant: string) => ({
    name: 'Alternating',
    tables: [
      {
        entity: 'assets',
        table: 'Large',
        filter: { plant },
        // The price is visible only with the plant A.
        ...(plant === 'A' ? {} : { columns: { hidden: ['price'] } }),
      },
    ],
  });

  beforeAll(async () => {
    ({ services } = await shareServices(2));
    const me = await services[0]!.provision();
    owner = await new Api(services[0]!.baseUrl).signIn(me);
    workspace = `/v2/api/workspaces/${me.workspaceId}`;
    table = `${workspace}/cw/assets/Large`;
    const columns = ['code', 'plant', 'price'].map((key) => ({ key, name: key, type: 'text' }));
    const created = await owner.post(`${workspace}/cw/assets/bulk`, {
      assets: [{ name: 'Large', columns, items: [] }],
    });
    expect(created.status).toBe(201);
    const items = Array.from({ length: ROWS }, (_, at) => {
      return { code: `K${String(at).padStart(6, '0')}`, plant: PLANTS[at % 2], price: 'x'.repeat(200) };
    });
    const headers = { 'Content-Type': NDJSON };
    const imported = await owner.send(`${table}/items/import`, { method: 'POST', body: lines(items), headers });
    expect(imported.status).toBe(200);
    policyId = (await owner.post(`${workspace}/access-policies`, rulesOf('A'))).body.data.id as string;
    const { apiKey } = (await owner.post(`${workspace}/api-keys`, { name: 'Key', policyId })).body.data;
    callers = services.map(({ baseUrl }) => new Api(baseUrl).withKey(apiKey as string));
  }, 120_000);

  async function read(request: () => Promise<ApiResponse>, parse: (answer: ApiResponse) => any[]): Promise<Finished> {
    const startedAt = performance.now();
    const answer = await request();
    expect(answer.status).toBe(200);
    const rows = parse(answer);
    return {
      startedAt,
      endedAt: performance.now(),
      plants: new Set(rows.map(({ plant }) => plant as string)),
      hasPrice: new Set(rows.map((row) => 'price' in row)),
      rows: rows.length,
    };
  }

  const readExport = (api: Api) =>
    read(
      () => api.get(`${table}/export`, { accept: NDJSON }),
      ({ body }) =>
        (body as string)
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as object),
    );
  const readPage = (api: Api) =>
    read(
      () => api.get(`${table}/items?limit=${PAGE}&sort=-code`),
      ({ body }) => body.data.items as any[],
    );

  it('lets no request read a row or a column of the other policy', async () => {
    const changes: { plant: string; startedAt: number; endedAt: number }[] = [
      { plant: 'A', startedAt: -Infinity, endedAt: -Infinity },
    ];
    const found: Finished[] = [];
    let isEnded = false;
    const readers = callers.flatMap((api) =>
      [readExport, readPage, readPage].map(async (readRows) => {
        while (!isEnded) found.push(await readRows(api));
      }),
    );
    const reading = Promise.all(readers);
    for (let change = 1; change <= CHANGES; change++) {
      const before = found.length;
      const plant = PLANTS[change % 2]!;
      const startedAt = performance.now();
      const changed = await owner.put(`${workspace}/access-policies/${policyId}`, rulesOf(plant));
      changes.push({ plant, startedAt, endedAt: performance.now() });
      expect(changed.status).toBe(200);
      while (found.length < before + 8) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    isEnded = true;
    await reading;

    for (const { startedAt, endedAt, plants, hasPrice, rows } of found) {
      expect([plants.size, hasPrice.size]).toEqual([1, 1]);
      const [plant] = plants;
      expect(hasPrice.has(true)).toBe(plant === 'A');
      // The policies that applied at some time of the request, but at its end only those that applied at its start.
      const last = changes.findLastIndex((change) => change.endedAt <= startedAt);
      const possible = changes.slice(last).filter((change) => change.startedAt <= endedAt);
      expect(possible.map((change) => change.plant)).toContain(plant);
      expect([PAGE, ROWS / 2]).toContain(rows);
    }
    expect(found.length).toBeGreaterThan(CHANGES * 8);
    const overlapping = found.filter(({ startedAt, endedAt }) =>
      changes.some((change) => change.startedAt > startedAt && change.startedAt < endedAt),
    );
    expect(overlapping.length).toBeGreaterThan(0);
  }, 300_000);
});
