import { physicalTableName } from '../src/modules/workspace-tables/catalog/physical-table.js';
import { Connection, parseReply } from './connection.js';
import { inTurn, measure, ratios, requireRows, secondsOf } from './measure.js';
import type { Options } from './options.js';
import { countChanged, sampleRows } from './sample-rows.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, spread, verdictAtMost } from './table.js';

const STATES = ['new', 'unchanged', '10 % changed'] as const;
type State = (typeof STATES)[number];
type Figures = Record<`${'webhook' | 'bulk'} ${State}`, number[]>;
type Edition = 'first' | 'changed';

/** Aim: maximum time of the webhook as a multiple of the time of bulk, for all states. */
const AIM = { ofBulk: 1.2 };

const WEBHOOK = '/v1/api/notes/erp/webhook';
/** A second table with the columns of the webhook table. */
const BULK_TABLE = 'Assets by bulk';
/** Locations of the equipment. */
const LOCATIONS = 1_000;

/** One batch in the formats of both calls. */
type Bodies = Record<'webhook' | 'bulk', Record<Edition, Buffer>>;

interface Totals {
  created: number;
  updated: number;
}

/** Compares the legacy webhook with bulk: the same equipment, with the same API key, over one connection. */
export async function benchWebhook(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const connection = new Connection(stage.service.baseUrl, { 'x-api-key': stage.apiKey });
  const tables = await createTables(stage, connection);
  const rows: string[][] = [];
  for (const batchSize of options.batchSizes) {
    note(`webhook: batches of ${integer(batchSize)}`);
    const figures = await measureBatches(stage, connection, tables, batchSize, options);
    rows.push(...describe(batchSize, figures));
  }
  connection.close();
  const headers = ['rows', 'batch', 'webhook rows/s', 'bulk rows/s', 'time of bulk', 'aim', 'met'];
  return [
    '## The legacy webhook compared with bulk',
    '',
    'Equipment of 4 fields (key, two texts, a reference), the same rows in both, with an API key over one connection.',
    '',
    markdownTable(headers, rows),
  ].join('\n');
}

function describe(batchSize: number, figures: Figures): string[][] {
  return STATES.map((state) => {
    const [webhook, bulk] = [figures[`webhook ${state}`], figures[`bulk ${state}`]];
    const cost = ratios(bulk, webhook);
    const [aim, met] = verdictAtMost(cost, AIM.ofBulk, roundUp);
    return [state, integer(batchSize), spread(webhook), spread(bulk), spread(cost, roundUp), aim, met];
  });
}

/** Rounded up, because smaller is better: 1.201 is above 1.20. */
function roundUp(value: number): string {
  return (Math.ceil(value * 100 - 1e-9) / 100).toFixed(2);
}

async function measureBatches(
  stage: Stage,
  connection: Connection,
  tables: readonly string[],
  batchSize: number,
  { runs, bulkRows }: Options,
): Promise<Figures> {
  const batches = Array.from({ length: Math.max(2, Math.ceil(bulkRows / batchSize)) }, (_, position) =>
    buildBodies(position * batchSize, batchSize),
  );
  const rate = async (call: 'webhook' | 'bulk', edition: Edition, written: number): Promise<number> => {
    const path = call === 'webhook' ? WEBHOOK : stage.bulkPath;
    const seconds = await secondsOf(async () => {
      for (const bodies of batches) {
        const { data } = parseReply(await connection.post(path, bodies[call][edition]), 200) as {
          data: { totals: Totals };
        };
        requireRows(data.totals.created + data.totals.updated, written);
      }
    });
    return (batches.length * batchSize) / seconds;
  };
  return measure(runs, async (index) => {
    await emptyTables(stage, tables);
    const round: Partial<Record<keyof Figures, number>> = {};
    for (const state of STATES) {
      const edition = state === '10 % changed' ? 'changed' : 'first';
      const written = state === 'new' ? batchSize : state === 'unchanged' ? 0 : countChanged(batchSize);
      const contenders = {
        [`webhook ${state}`]: () => rate('webhook', edition, written),
        [`bulk ${state}`]: () => rate('bulk', edition, written),
      };
      Object.assign(round, await inTurn(index, contenders));
    }
    return round as Record<keyof Figures, number>;
  });
}

function buildBodies(from: number, count: number): Bodies {
  const bodies = (edition: Edition): Record<'webhook' | 'bulk', Buffer> => {
    const rows = sampleRows(from, count, edition).map(({ equnr, description, location }, position) => ({
      equnr,
      name: description,
      object_type: location,
      location: formatLocation(position),
    }));
    const equipment = rows.map((row) => ({
      EQUNR: row.equnr,
      EQKTX: row.name,
      EQART: row.object_type,
      TPLNR: row.location,
    }));
    return {
      webhook: Buffer.from(JSON.stringify({ equipment })),
      bulk: Buffer.from(JSON.stringify({ assets: [{ name: BULK_TABLE, items: rows }] })),
    };
  };
  const [first, changed] = [bodies('first'), bodies('changed')];
  return {
    webhook: { first: first.webhook, changed: changed.webhook },
    bulk: { first: first.bulk, changed: changed.bulk },
  };
}

function formatLocation(position: number): string {
  return `AT10-${String(position % LOCATIONS).padStart(4, '0')}`;
}

/** Creates the tables of the webhook, and one for bulk with the same columns. @returns the IDs of the two measured tables. */
async function createTables(stage: Stage, connection: Connection): Promise<string[]> {
  const functionalLocations = Array.from({ length: LOCATIONS }, (_, position) => ({ TPLNR: formatLocation(position) }));
  const first = Buffer.from(JSON.stringify({ functionalLocations, equipment: [] }));
  const { data } = parseReply(await connection.post(WEBHOOK, first), 200, 201) as {
    data: { arrays: { table: { id: string } }[] };
  };
  const target = { entity: 'location', table: 'Functional Locations' };
  const columns = [
    { key: 'equnr', name: 'EQUNR', type: 'text', primaryKey: true },
    { key: 'name', name: 'Name', type: 'text' },
    { key: 'object_type', name: 'Object Type', type: 'text' },
    { key: 'location', name: 'Functional Location', type: 'reference', options: { target } },
  ];
  const body = Buffer.from(JSON.stringify({ assets: [{ name: BULK_TABLE, columns, items: [] }] }));
  const created = parseReply(await connection.post(stage.bulkPath, body), 200, 201) as {
    data: { tables: { id: string }[] };
  };
  return [data.arrays[1]!.table.id, created.data.tables[0]!.id];
}

/** Restores the initial state of the tables: the service treats a table of revision 0 as empty. */
async function emptyTables(stage: Stage, tables: readonly string[]): Promise<void> {
  for (const id of tables)
    await stage.database.query(`TRUNCATE ${physicalTableName({ workspaceId: stage.workspaceId, id })}`);
  await stage.database.query('UPDATE workspace_tables SET revision = 0 WHERE workspace_id = $1 AND id = ANY ($2)', [
    stage.workspaceId,
    tables,
  ]);
  // Writes of earlier rounds must not slow this round.
  await stage.database.query('CHECKPOINT');
}
