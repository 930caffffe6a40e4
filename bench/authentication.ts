import { Connection, parseReply } from './connection.js';
import { CONNECTIONS, fire, type Load, LOAD_HEADERS, loadColumns, measureLoads } from './load.js';
import { differences, ratios } from './measure.js';
import type { Options } from './options.js';
import type { MeasuredProcess } from './processes.js';
import { sampleRows } from './sample-rows.js';
import type { Stage } from './stage.js';
import { cpuMicroseconds, markdownTable, NONE, ratio, share, spread, verdictAtMost } from './table.js';

/** An empty list: the rest of the request is authentication, one statement and the envelope. */
const PATH = '/v1/api/tours';
const PAGE = { table: 'authenticated_page', items: 1_000 };
const AIM = { microseconds: 250, ofPage: 0.15 };

interface Contender {
  server: MeasuredProcess;
  path: string;
  headers: Record<string, string>;
}

/**
 * Measures requests per second on a cheap authenticated route, compared with a route without authentication and database.
 * The cost of authentication is the difference to the same service if it authenticates only once.
 */
export async function benchAuthentication(
  stage: Stage,
  options: Options,
  note: (line: string) => void,
): Promise<string> {
  const { service, authorization } = stage;
  const withoutAuthentication = await stage.startFloor('trusting', 'authentication');
  const withoutSession = await stage.startFloor('trusting', 'session');
  const contenders: Record<string, Contender> = {
    'GET /health/live, without': { server: service, path: '/health/live', headers: {} },
    [`GET ${PATH}, no authentication`]: { server: withoutAuthentication, path: PATH, headers: authorization },
    [`GET ${PATH}, Bearer without session`]: { server: withoutSession, path: PATH, headers: authorization },
    [`GET ${PATH}, Bearer`]: { server: service, path: PATH, headers: authorization },
    [`GET ${PATH}, X-API-Key`]: { server: service, path: PATH, headers: { 'x-api-key': stage.apiKey } },
    'GET a page of 1,000 items, Bearer': { server: service, path: await createPage(stage), headers: authorization },
  };
  const loads = await measureLoads(Object.keys(contenders), options.runs, async (name, index) => {
    note(`authenticated requests, ${name}: run ${index} of ${options.runs}`);
    const { server, path, headers } = contenders[name]!;
    return fire(server, path, headers, options.authenticationSeconds);
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
    `${CONNECTIONS} connections, ${authenticationSeconds} s per run (autocannon).`,
    '',
    markdownTable(['request', ...LOAD_HEADERS, 'of /health/live'], rows),
  ].join('\n');
}

/** The additional CPU time of a request compared with its floor, run by run like all ratios. */
function costTable(loads: Record<string, Load[]>): string {
  const [, unauthenticated, withoutSession, bearer, apiKey, page] = Object.values(loads).map((own) =>
    own.map(({ cpu }) => cpu),
  );
  const costs: [name: string, cpu: number[], hasAim: boolean][] = [
    ['Bearer', differences(bearer!, unauthenticated!), true],
    ['X-API-Key', differences(apiKey!, unauthenticated!), true],
    ["only the Bearer's session", differences(bearer!, withoutSession!), false],
  ];
  const rows = costs.map(([name, cpu, hasAim]) => {
    const ofPage = ratios(cpu, page!);
    return [
      name,
      spread(cpu, cpuMicroseconds),
      ...verdictAtMost(cpu, hasAim ? AIM.microseconds : undefined, cpuMicroseconds),
      spread(ofPage, share),
      ...verdictAtMost(ofPage, hasAim ? AIM.ofPage : undefined, share),
    ];
  });
  return [
    '### The cost of authentication',
    '',
    'CPU time of the service process for one request, minus that of the same service if it asks only once.',
    '',
    markdownTable(['by', 'CPU µs', 'aim', 'met', 'of a page of 1,000', 'aim', 'met'], rows),
  ].join('\n');
}

function rates(loads: readonly Load[]): number[] {
  return loads.map(({ requestsPerSecond }) => requestsPerSecond);
}

/** Creates a table. @returns the path of a page of 1,000 items. */
async function createPage(stage: Stage): Promise<string> {
  const { id } = await stage.createTable(PAGE.table);
  const connection = new Connection(stage.service.baseUrl, stage.authorization);
  const body = { assets: [{ name: PAGE.table, items: sampleRows(0, PAGE.items) }] };
  parseReply(await connection.post(stage.bulkPath, Buffer.from(JSON.stringify(body))), 200);
  connection.close();
  return `/v2/api/workspaces/${stage.workspaceId}/cw/assets/${id}/items?limit=${PAGE.items}`;
}
