import { Connection } from './connection.js';
import { type Floor, type Group, type Measurement, requireRows, type Slice } from './measure.js';
import { CHANGE_EVERY, sampleRows } from './sample-rows.js';
import { type MeasuredProcess, type Sizes, type Stage, toBulkBody } from './stage.js';

/** Aims: new rows of this batch size, of a bare controller, and unchanged rows, of new rows. */
const AIMS = { batchSize: 5_000, newOfBareNest: 0.85, unchangedOfNew: 1.5 };
const LOADS = [1, 4].flatMap((connections) => [1_000, 5_000, 20_000].map((batchSize) => ({ batchSize, connections })));

type Load = (typeof LOADS)[number] & { bulkRows: number };
/** Connections to the contenders, and the table that they write. */
type Lane = { table: string; physical: string; service: Connection; bareNest: Connection };

/** Bulk requests with new, unchanged and changed rows, compared with a bare controller. */
export async function prepareBulk(stage: Stage, { bulkRows }: Sizes): Promise<Group[]> {
  const floor = await stage.startFloor();
  return LOADS.map((load) => compareStates(stage, floor, { ...load, bulkRows }));
}

/** Each lane writes a table of its own, one batch after another. */
function compareStates(stage: Stage, floor: MeasuredProcess, { batchSize, connections, bulkRows }: Load): Group {
  const batches = Math.max(2, Math.ceil(bulkRows / batchSize / connections));
  const starts = Array.from({ length: batches }, (_, batch) => batch * batchSize);
  const [first, changed] = (['first', 'changed'] as const).map((edition) =>
    starts.map((start) => Buffer.from(JSON.stringify(sampleRows(start, batchSize, edition)))),
  ) as [Buffer[], Buffer[]];
  const lanes = Array.from({ length: connections }, (): Lane => {
    const service = new Connection(stage.service.baseUrl, stage.authorization);
    return { table: '', physical: '', service, bareNest: new Connection(floor.baseUrl) };
  });

  /** New, empty tables: of the service, and equal ones of the floor. */
  const createTables = async (run: number) => {
    for (const [position, lane] of lanes.entries()) {
      if (run > 0) await stage.database.query(`TRUNCATE ${lane.physical}, floor.${lane.table}`);
      lane.table = `bulk_${batchSize}_${connections}_${run}_${position}`;
      lane.physical = (await stage.createTable(lane.table)).physical;
      await stage.database.query(`CREATE TABLE floor.${lane.table} (LIKE ${lane.physical} INCLUDING ALL)`);
    }
    // Earlier writes must not slow this run.
    await stage.database.query('CHECKPOINT');
  };
  const sendAll = async (bodies: readonly Buffer[], send: (lane: Lane, items: Buffer) => Promise<void>) => {
    const sendBatches = async (lane: Lane) => {
      for (const items of bodies) await send(lane, items);
    };
    await Promise.all(lanes.map(sendBatches));
    return connections * batches * batchSize;
  };
  const compare = (state: string, bodies: readonly Buffer[], written: number, ...floors: Floor[]): Measurement => {
    const send = async ({ table, service }: Lane, items: Buffer) => {
      const { totals } = await stage.bulk(table, items, service);
      requireRows(totals.created + totals.updated, written);
    };
    const sendToFloor = async ({ table, bareNest }: Lane, items: Buffer) => {
      requireRows((await bareNest.call<{ rows: number }>('POST', '/bulk', toBulkBody(table, items))).rows, written);
    };
    const aim = state === 'new' && batchSize === AIMS.batchSize ? AIMS.newOfBareNest : undefined;
    const work = () => stage.rate(floor, () => sendAll(bodies, sendToFloor));
    return {
      name: `${state}, batches of ${batchSize.toLocaleString('en')}, connections: ${connections}`,
      unit: 'rows/s',
      service: () => stage.rate(stage.service, () => sendAll(bodies, send)),
      floors: [{ name: 'bare Nest', aim, work }, ...floors],
    };
  };
  const newRows = compare('new', first, batchSize);
  let ofNewRows: Slice;
  const service = async () => (ofNewRows = await newRows.service());
  const own = { name: 'own new rows', aim: AIMS.unchangedOfNew, work: () => Promise.resolve(ofNewRows) };
  const unchanged = compare('unchanged', first, 0, own);
  const changedRows = compare('10 % changed', changed, batchSize / CHANGE_EVERY);
  return { prepare: createTables, measurements: [{ ...newRows, service }, unchanged, changedRows] };
}
