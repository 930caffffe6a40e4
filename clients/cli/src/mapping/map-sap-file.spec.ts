import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Io } from '../io.js';
import { mapSapFile } from './map-sap-file.js';
import type { MappedColumn } from './mapping-file.js';
import { SAP_FIELDS } from './sap-fields.js';

describe('the mapping of a file of SAP', () => {
  let cwd: string;

  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'sap-'));
  });

  afterEach(() => rmSync(cwd, { recursive: true }));

  async function mapFields(fields: readonly string[]): Promise<Map<string, MappedColumn>> {
    writeFileSync(join(cwd, 'export.csv'), `${fields.join(';')}\n`);
    const { mapping } = await mapSapFile('export.csv', {}, { cwd } as Io);
    return new Map(mapping.columns.map((column) => [column.from!, column]));
  }

  const ALL = [...SAP_FIELDS.keys()];

  it.each([
    ['equipment', ALL, { EQKTX: 'name', HEQUI: 'parent', TPLNR: 'location' }],
    ['functional locations', ALL.filter((field) => field !== 'EQUNR'), { PLTXT: 'name', TPLMA: 'parent' }],
  ])('gives all fields of %s their names and keys, in each order of the columns', async (_, fields, ofTable) => {
    const keys: Record<string, string> = { EQART: 'object_type', ...ofTable };
    const names: Record<string, string> = Object.fromEntries(
      fields.map((field) => [field, keys[field] === 'name' ? 'Name' : SAP_FIELDS.get(field)!.name]),
    );
    for (const ordered of [fields, fields.toReversed()]) {
      const columns = await mapFields(['NAME', 'LOCATION', ...ordered]);
      for (const field of fields) {
        const { key, name } = columns.get(field)!;
        expect({ field, key, name }).toEqual({ field, key: keys[field] ?? field.toLowerCase(), name: names[field] });
      }
    }
  });

  it('uses the parent of what the file contains as hierarchy', async () => {
    const equipment = await mapFields(['TPLMA', 'HEQUI', 'EQUNR', 'TPLNR']);
    expect(equipment.get('HEQUI')).toMatchObject({ key: 'parent', type: 'hierarchyParent' });
    expect(equipment.get('TPLMA')).toMatchObject({ key: 'tplma', type: 'text' });
  });
});
