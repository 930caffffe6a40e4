import { type Group, limit, requireRows, type Slice } from './measure.js';
import { sampleFile, sampleRows, toNdjson } from './sample-rows.js';
import type { BenchTable, Report, Stage } from './stage.js';

const AIMS = { ofInsertion: 1, undoMs: 5_000, formerRowBytes: 309 };
/** The most rows that a request may delete, and the rows of a batch that is undone. */
const [DELETED_ROWS, UNDONE_ROWS] = [50_000, 100_000];

/** What a synchronization needs in addition to imports: deletions and undo. */
export async function prepareSync(stage: Stage): Promise<Group[]> {
  const undone = await stage.createTable('undone');
  await stage.import(undone, sampleFile(UNDONE_ROWS, toNdjson));
  return [compareDeletion(stage), measureUndo(stage, undone)];
}

/** A deletion is compared with the insertion of its rows, which precedes it. */
function compareDeletion(stage: Stage): Group {
  const rows = sampleRows(0, DELETED_ROWS);
  const keys = rows.map(({ equnr }) => equnr);
  let table: BenchTable;
  let insertion: Slice;
  const insert = async (run: number) => {
    const name = `deleted_${run}`;
    table = await stage.createTable(name);
    await stage.database.query('CHECKPOINT');
    insertion = await stage.duration(stage.service, () => stage.bulk(name, rows));
  };
  const remove = async () => {
    const { totals } = await stage.connection.call<Report>('POST', `${table.path}/items/delete`, { keys });
    requireRows(totals.deleted, DELETED_ROWS);
  };
  const floors = [{ name: 'insertion', aim: AIMS.ofInsertion, work: () => Promise.resolve(insertion) }];
  const service = () => stage.duration(stage.service, remove);
  return { prepare: insert, measurements: [{ name: 'delete 50,000 rows', unit: 'ms', service, floors }] };
}

/** An import changes all rows of a table, and is undone. */
function measureUndo(stage: Stage, table: BenchTable): Group {
  let path: string;
  const change = async (run: number) => {
    const rename = (rows: readonly object[]) => toNdjson(rows.map((row) => ({ ...row, name: `changed ${run}` })));
    const { batchId, totals } = await stage.import(table, sampleFile(UNDONE_ROWS, rename));
    requireRows(totals.updated, UNDONE_ROWS);
    path = `${stage.workspacePath}/cw/batches/${batchId}/undo`;
  };
  const size = `SELECT pg_total_relation_size('${table.former}')::float8 / count(*) AS figure FROM ${table.former}`;
  const readSize = async () => (await stage.database.query<Slice>(size)).rows[0]!;
  const undo = () => stage.duration(stage.service, () => stage.connection.call('POST', path));
  return {
    prepare: change,
    measurements: [
      { name: 'former row with indexes', unit: 'bytes', service: readSize, floors: [limit(AIMS.formerRowBytes)] },
      { name: 'undo 100,000 changed rows', unit: 'ms', service: undo, floors: [limit(AIMS.undoMs)] },
    ],
  };
}
