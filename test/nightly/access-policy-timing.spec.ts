import { Api, type ApiResponse } from '../support/api.js';
import { lines, NDJSON } from '../support/imports.js';
import { shareServices } from '../support/shared-services.js';

/** Pairs of alternating requests per surface; more with TIMING_SAMPLES. */
const SAMPLES = Number(process.env['TIMING_SAMPLES'] ?? 60);
/** How often a surface with a difference is measured. */
const MEASUREMENTS = 3;
/** The time of a hidden request divided by that of the absent one, as a median, with the noise of a shared machine. */
const MAX_RATIO = 1.35;
const ROWS = 2_000;

type Send = (caller: Api) => Promise<ApiResponse>;

/** A caller cannot find out whether what it may not read exists. */
describe('what a policy hides', () => {
  let caller: Api;
  let workspace: string;
  let pairs: Record<string, [hidden: Send, absent: Send]>;

  beforeAll(async () => {
    const { services } = await shareServices(1);
    const me = await services[0]!.provision();
    const owner = await new Api(services[0]!.baseUrl).signIn(me);
    workspace = `/v2/api/workspaces/${me.workspaceId}`;
    const columns = [
      { key: 'code', name: 'Code', type: 'text' },
      { key: 'plant', name: 'Plant', type: 'text' },
      { key: 'parent', name: 'Parent', type: 'hierarchyParent' },
    ];
    const items = Array.from({ length: ROWS }, (_, at) => {
      return { code: `K${at}`, plant: at % 2 === 0 ? 'A' : 'B', parent: at < 2 ? null : `K${at % 2}` };
    });
    for (const name of ['Sites', 'Secret']) {
      const created = await owner.post(`${workspace}/cw/locations/bulk`, { locations: [{ name, columns, items: [] }] });
      expect(created.status).toBe(201);
      const headers = { 'Content-Type': NDJSON };
      const path = `${workspace}/cw/locations/${name}/items/import`;
      expect((await owner.send(path, { method: 'POST', body: lines(items), headers })).status).toBe(200);
    }
    const rule = { entity: 'locations', table: 'Sites', filter: { plant: 'A' }, write: true };
    const policy = await owner.post(`${workspace}/access-policies`, { name: 'Plant A', tables: [rule] });
    const key = await owner.post(`${workspace}/api-keys`, { name: 'Key', policyId: policy.body.data.id as string });
    caller = new Api(services[0]!.baseUrl).withKey(key.body.data.apiKey as string);
    const cw = `${workspace}/cw/locations`;
    const get =
      (path: string): Send =>
      (api) =>
        api.get(path);
    const note =
      (location: string): Send =>
      (api) =>
        api.post(`${workspace}/notes`, { title: 'Note', location });
    pairs = {
      table: [get(`${cw}/Secret`), get(`${cw}/Absent`)],
      'rows of a table': [get(`${cw}/Secret/items`), get(`${cw}/Absent/items`)],
      'export of a table': [get(`${cw}/Secret/export`), get(`${cw}/Absent/export`)],
      row: [get(`${cw}/Sites/items/K5`), get(`${cw}/Sites/items/X5`)],
      'row of a hidden table': [get(`${cw}/Secret/items/K5`), get(`${cw}/Absent/items/K5`)],
      path: [get(`${cw}/Sites/items/K5/path`), get(`${cw}/Sites/items/X5/path`)],
      children: [get(`${cw}/Sites/items/K5/children`), get(`${cw}/Sites/items/X5/children`)],
      // Half of the rows are children of the hidden row.
      'children of many': [get(`${cw}/Sites/items/K1/children`), get(`${cw}/Sites/items/X1/children`)],
      'subtree of a leaf': [get(`${cw}/Sites/items?under=K5`), get(`${cw}/Sites/items?under=X5`)],
      'note at a row': [note('K5'), note('X5')],
      change: [
        (api) => api.patch(`${cw}/Sites/items/K5`, { plant: 'A' }),
        (api) => api.patch(`${cw}/Sites/items/X5`, { plant: 'A' }),
      ],
      deletion: [(api) => api.delete(`${cw}/Sites/items/K5`), (api) => api.delete(`${cw}/Sites/items/X5`)],
    };
  }, 120_000);

  const describeAnswer = ({ status, body }: ApiResponse) => {
    const { error, message, details, data } = body as Record<string, any>;
    const texts = JSON.stringify([error, message, details?.errors, data?.items]);
    // The name that the caller has sent.
    return [status, texts.replaceAll('Absent', 'Secret').replaceAll('X5', 'K5').replaceAll('X1', 'K1')];
  };

  it('has the response of what does not exist', async () => {
    for (const [surface, [hidden, absent]] of Object.entries(pairs)) {
      const found = describeAnswer(await hidden(caller));
      expect([surface, ...found]).toEqual([surface, ...describeAnswer(await absent(caller))]);
    }
  });

  /** The median over pairs of requests that follow each other, in the direction in which it is greater. */
  const measureRatio = async ([hidden, absent]: [Send, Send]): Promise<number> => {
    const pairRatios: number[] = [];
    for (let sample = -10; sample < SAMPLES; sample++) {
      const times: [hidden: number, absent: number] = [0, 0];
      // The order of the two alternates, so that neither is always the first.
      for (const which of sample % 2 === 0 ? [0, 1] : [1, 0]) {
        const startedAt = performance.now();
        await (which === 0 ? hidden : absent)(caller);
        times[which] = performance.now() - startedAt;
      }
      if (sample >= 0) pairRatios.push(times[0] / times[1]);
    }
    const ratio = median(pairRatios);
    return Math.max(ratio, 1 / ratio);
  };

  it('takes the time of what does not exist', async () => {
    const slow: [surface: string, ratios: number[]][] = [];
    for (const [surface, pair] of Object.entries(pairs)) {
      const ratios: number[] = [];
      // A difference that exists is in each measurement; one by the load of the machine is not.
      do ratios.push(await measureRatio(pair));
      while (ratios.at(-1)! > MAX_RATIO && ratios.length < MEASUREMENTS);
      if (ratios.at(-1)! > MAX_RATIO) slow.push([surface, ratios]);
    }
    expect(slow).toEqual([]);
  }, 300_000);
});

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
