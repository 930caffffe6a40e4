import { Connection, parseReply } from './connection.js';
import { toNdjson } from './import.js';
import { inTurn, measure, ratios, secondsOf } from './measure.js';
import type { Options } from './options.js';
import { sampleParts, sampleRows } from './sample-rows.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, milliseconds, ratio, spread, verdict } from './table.js';

const TABLE = 'policies';
/** One of the seven makers of the sample rows. */
const MAKER = 'Siemens';
/** Pages per run. */
const PAGES = 200;
const LIMIT = 100;

/** Costs of access policies: pages of a caller who may read the rows that another caller selects by a filter. */
export async function benchPolicies(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const { runs, importRows: count } = options;
  note(`policies: a table of ${integer(count)} rows`);
  const owner = new Connection(stage.service.baseUrl, stage.authorization);
  const items = `${stage.bulkPath.replace(/bulk$/, TABLE)}/items`;
  const { physical } = await stage.createTable(TABLE);
  parseReply(await owner.postAs('application/x-ndjson', `${items}/import`, ...sampleParts(count, toNdjson)), 200);
  await stage.database.query(`VACUUM ANALYZE ${physical}`);
  const restricted = await connectWithPolicy(stage, owner);
  const filters = Array.from({ length: PAGES }, (_, at) => {
    const [row] = sampleRows(Math.floor((at * count) / PAGES), 1);
    return { equnr: { gte: row!.equnr } };
  });
  const read = (connection: Connection, more: object) => () =>
    secondsOf(async () => {
      for (const filter of filters) {
        const query = encodeURIComponent(JSON.stringify({ ...filter, ...more }));
        parseReply(await connection.get(`${items}?limit=${LIMIT}&filter=${query}`), 200);
      }
    });
  const figures = await measure(runs, (index) =>
    inTurn(index, { filter: read(owner, { manufacturer: MAKER }), policy: read(restricted, {}) }),
  );
  owner.close();
  restricted.close();
  const toMilliseconds = (seconds: readonly number[]) => seconds.map((each) => (1_000 * each) / PAGES);
  const share = ratios(figures.filter, figures.policy);
  return [
    '## Access policies',
    '',
    `Pages of ${LIMIT} rows from all parts of a table of ${integer(count)} rows, of which the caller may read a seventh, one request at a time. By hand is a`,
    'caller without a policy who selects the same rows with a filter.',
    '',
    markdownTable(
      ['page', 'ms', 'by hand ms', 'rate of that by hand', 'aim', 'met'],
      [
        [
          'with a policy',
          spread(toMilliseconds(figures.policy), milliseconds),
          spread(toMilliseconds(figures.filter), milliseconds),
          spread(share, ratio),
          ...verdict(share, 0.8),
        ],
      ],
    ),
  ].join('\n');
}

/** A connection with an API key whose policy permits the rows of one maker. */
async function connectWithPolicy(stage: Stage, owner: Connection): Promise<Connection> {
  const workspace = `/v2/api/workspaces/${stage.workspaceId}`;
  const post = async (path: string, body: object) => {
    const reply = await owner.post(`${workspace}/${path}`, Buffer.from(JSON.stringify(body)));
    return (parseReply(reply, 201) as { data: { id: string; apiKey: string } }).data;
  };
  const rule = { entity: 'assets', table: TABLE, filter: { manufacturer: MAKER } };
  const policy = await post('access-policies', { name: 'One maker', tables: [rule] });
  const { apiKey } = await post('api-keys', { name: 'One maker', policyId: policy.id });
  return new Connection(stage.service.baseUrl, { 'X-API-Key': apiKey });
}
