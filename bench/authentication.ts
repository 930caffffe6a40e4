import { Connection, parsed } from './connection.js';
import { CONNECTIONS, fire, type Load, LOAD_HEADERS, loadColumns } from './load.js';
import { differences, measure, ratios } from './measure.js';
import type { Options } from './options.js';
import type { Measured } from './processes.js';
import { sampleRows } from './sample-rows.js';
import type { Stage } from './stage.js';
import { cpuMicroseconds, markdownTable, NONE, ratio, share, spread, verdictAtMost } from './table.js';

/** An empty list: what is left of the request is who calls, one statement and the envelope. */
const PATH = '/v1/api/tours';
const PAGE = { table: 'authenticated_page', items: 1_000 };
const AIM = { microseconds: 250, ofPage: 0.15 };

interface Contender {
  server: Measured;
  path: string;
  headers: Record<string, string>;
}

/**
 * Requests a second on a cheap route, signed in, against one that asks nobody who they are and nothing of the database;
 * and what of it is authentication: the difference to the same service where it asks only once.
 */
export async function benchAuthentication(
  stage: Stage,
  options: Options,
  note: (line: string) => void,
): Promise<string> {
  const { service, authorization } = stage;
  const asksNobody = await stage.startFloor('trusting', 'authentication');
  const asksNoSession = await stage.startFloor('trusting', 'session');
  const contenders: Record<string, Contender> = {
    'GET /health/live, without': { server: service, path: '/health/live', headers: {} },
    [`GET ${PATH}, nobody asked`]: { server: asksNobody, path: PATH, headers: authorization },
    [`GET ${PATH}, Bearer without session`]: { server: asksNoSession, path: PATH, headers: authorization },
    [`GET ${PATH}, Bearer`]: { server: service, path: PATH, headers: authorization },
    [`GET ${PATH}, X-API-Key`]: { server: service, path: PATH, headers: { 'x-api-key': stage.apiKey } },
    'GET a page of 1,000 items, Bearer': { server: service, path: await makePage(stage), headers: authorization },
  };
  const names = Object.keys(contenders);
  const loads = Object.fromEntries(names.map((name) => [name, [] as Load[]]));
  await measure(options.runs, async (index) => {
    note(`authenticated requests: run ${index} of ${options.runs}`);
    for (const name of index % 2 === 0 ? names.toReversed() : names) {
      const { server, path, headers } = contenders[name]!;
      const load = await fire(server, path, headers, options.authenticationSeconds);
      if (index > 0) loads[name]!.push(load);
    }
    return {};
  });
  return [requestTable(loads, options), costTable(loads)].join('\n\n');
}

function requestTable(loads: Record<string, Load[]>, { authenticationSeconds }: Options): string {
  const [floor] = Object.values(loads);
  const rows = Object.entries(loads).map(([name, own]) => [
    name,
    ...loadColumns(own),
    own === floor ? NONE : spread(ratios(rates(own), rates(floor!)), ratio),
  ]);
  return [
    '## Authenticated requests',
    '',
    `${CONNECTIONS} connections, ${authenticationSeconds} s a run (autocannon).`,
    '',
    markdownTable(['request', ...LOAD_HEADERS, 'of /health/live'], rows),
  ].join('\n');
}

/** Run by run, as with all ratios: what a request costs more than its floor's. */
function costTable(loads: Record<string, Load[]>): string {
  const [, nobody, withoutSession, bearer, apiKey, page] = Object.values(loads).map((own) => own.map(({ cpu }) => cpu));
  const costs: [what: string, cpu: number[], aimed: boolean][] = [
    ['Bearer', differences(bearer!, nobody!), true],
    ['X-API-Key', differences(apiKey!, nobody!), true],
    ["the Bearer's session alone", differences(bearer!, withoutSession!), false],
  ];
  const rows = costs.map(([what, cpu, aimed]) => {
    const ofPage = ratios(cpu, page!);
    return [
      what,
      spread(cpu, cpuMicroseconds),
      ...verdictAtMost(cpu, aimed ? AIM.microseconds : undefined, cpuMicroseconds),
      spread(ofPage, share),
      ...verdictAtMost(ofPage, aimed ? AIM.ofPage : undefined, share),
    ];
  });
  return [
    '### What authentication costs',
    '',
    "CPU of the service's process for one request, less that of the same service where it asks only once.",
    '',
    markdownTable(['by', 'CPU µs', 'aim', 'met', 'of a page of 1,000', 'aim', 'met'], rows),
  ].join('\n');
}

function rates(loads: readonly Load[]): number[] {
  return loads.map(({ requestsPerSecond }) => requestsPerSecond);
}

/** @returns the address of a page of 1,000 items. */
async function makePage(stage: Stage): Promise<string> {
  const { id } = await stage.createTable(PAGE.table);
  const connection = new Connection(stage.service.baseUrl, stage.authorization);
  const body = { assets: [{ name: PAGE.table, items: sampleRows(0, PAGE.items) }] };
  parsed(await connection.post(stage.bulkPath, Buffer.from(JSON.stringify(body))), 200);
  connection.close();
  return `/v2/api/workspaces/${stage.workspaceId}/cw/assets/${id}/items?limit=${PAGE.items}`;
}
