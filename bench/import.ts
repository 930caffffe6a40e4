import { Connection } from './connection.js';
import { copyIn, copyOut, toCopyText } from './floors/copy.js';
import type { Group, Measurement } from './measure.js';
import { count, CSV_HEADER, NDJSON, sampleFile, toCsv, toNdjson } from './sample-rows.js';
import type { BenchTable, Sizes, Stage } from './stage.js';

const AIMS = { import: 0.4, exportOfCsv: 0.5, exportOfNdjson: 0.33 };

/** Imports into an empty table and exports of a table, compared with COPY of the same rows. */
export async function prepareImport(stage: Stage, { rows }: Sizes): Promise<Group[]> {
  const copied = sampleFile(rows, toCopyText);
  const exported = await stage.createTable('exported');
  await copyIn(stage.database, exported.physical, copied);
  await stage.database.query(`VACUUM ANALYZE ${exported.physical}`);

  const compareImport = (format: string, type: string, file: readonly Buffer[]): Group => {
    const floorTable = `floor.import_${format}`;
    let table: BenchTable | undefined;
    /** A new, empty table of the service, and an equal one for COPY. */
    const prepare = async (run: number) => {
      if (table) await stage.database.query(`TRUNCATE ${table.physical}; DROP TABLE ${floorTable}`);
      table = await stage.createTable(`import_${format}_${run}`);
      await stage.database.query(`CREATE TABLE ${floorTable} (LIKE ${table.physical} INCLUDING ALL)`);
      await stage.database.query('CHECKPOINT');
    };
    const send = async () => (await stage.import(table!, file, type)).totals.created;
    const service = () => stage.rate(stage.service, send);
    const work = () => stage.rate(undefined, () => copyIn(stage.database, floorTable, copied).then(() => rows));
    const floors = [{ name: 'COPY', aim: AIMS.import, work }];
    return { prepare, measurements: [{ name: `import of ${format}`, unit: 'rows/s', service, floors }] };
  };
  const compareExport = (format: string, type: string, aim: number): Measurement => {
    const connection = new Connection(stage.service.baseUrl, { ...stage.authorization, accept: type });
    const read = async () => count(await connection.read('GET', `${exported.path}/export`), '\n');
    const service = () => stage.rate(stage.service, read);
    const work = () => stage.rate(undefined, () => copyOut(stage.database, exported.physical));
    return { name: `export of ${format}`, unit: 'rows/s', service, floors: [{ name: 'COPY', aim, work }] };
  };
  return [
    compareImport('ndjson', NDJSON, sampleFile(rows, toNdjson)),
    compareImport('csv', 'text/csv', [CSV_HEADER, ...sampleFile(rows, toCsv)]),
    { measurements: [compareExport('csv', 'text/csv', AIMS.exportOfCsv)] },
    { measurements: [compareExport('ndjson', NDJSON, AIMS.exportOfNdjson)] },
  ];
}
