import { parse } from 'csv-parse/sync';
import { CommandLine } from '../support/command-line.js';
import { shareService } from '../support/shared-services.js';

let atrium: CommandLine;

beforeAll(async () => {
  const { service } = await shareService();
  atrium = new CommandLine(service, await service.provision());
});

afterAll(() => atrium.remove());

describe('a load with rejected rows', () => {
  const LINES = Array.from({ length: 5_000 }, (_, index) => `K${index};${index},5`);

  it('is undone as a whole by `undo --results`, also if a part of it was undone before', async () => {
    await atrium.fill('Loaded', [{ code: 'K0', weight: 7 }]);
    atrium.write('loaded.csv', ['code;weight', ...LINES, 'BAD;heavy'].join('\n'));
    const load = ['import', 'loaded.csv', '--table', 'Loaded', '--on-error', 'continue', '--results', 'out'];
    const loaded = await atrium.run(load);
    expect(loaded.code).toBe(2);
    expect(loaded.stderr).toContain("atrium undo --results 'out'");
    const { batches } = JSON.parse(atrium.read('out/summary.json'));
    expect(batches.length).toBeGreaterThan(1);
    expect((await atrium.run(['undo', '--results', 'out'])).stderr).toContain('--yes');
    await atrium.client.batches.undo(batches.at(-1));
    const undone = await atrium.run(['undo', '--results', 'out', '--yes']);
    expect(undone).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/asset\/Loaded: deletes [\d,]+ created rows/),
    });
    expect(await atrium.rowsOf('Loaded')).toEqual([{ code: 'K0', weight: 7 }]);
    const again = await atrium.run(['undo', '--results', 'out', '--yes']);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('undone before') });
    for (const wrong of [['undo'], ['undo', batches[0], '--results', 'out'], ['undo', '--results', 'absent']])
      expect((await atrium.run([...wrong, '--yes'])).code).toBe(1);
  });

  it('is completed by its corrected rejected rows, which are read as the load was', async () => {
    await atrium.fill('Corrected', [{ code: 'K0', weight: 7 }]);
    // Only the valid rows prove the decimal comma.
    atrium.write('partly.csv', 'code;weight\nA;1.234,5\nB;1.5x\nC;2.5x\n');
    const load = ['import', 'partly.csv', '--table', 'Corrected', '--on-error', 'continue', '--results', 'parts'];
    expect((await atrium.run(load)).code).toBe(2);
    const corrected = atrium.read('parts/rejected.csv').replace(/;1\.5x$/m, ';1.500');
    atrium.write('parts/rejected.csv', corrected);
    const retry = ['import', '--retry-rejected', 'parts'];
    expect((await atrium.run(retry)).code).toBe(2);
    expect(await atrium.rowsOf('Corrected')).toEqual([
      { code: 'A', weight: 1234.5 },
      { code: 'B', weight: 1500 },
      { code: 'K0', weight: 7 },
    ]);
    expect(atrium.read('parts/rejected.csv')).toBe(corrected);
    const left = parse<Record<string, string>>(atrium.read('parts/retry-1/rejected.csv'), {
      columns: true,
      delimiter: ';',
    });
    expect(left.map(({ code, weight }) => [code, weight])).toEqual([[expect.anything(), '2.5x']]);
    expect((await atrium.run([...retry, 'partly.csv'])).stderr).toContain('omit files');
    expect((await atrium.run(['import', '--table', 'Corrected'])).stderr).toContain('Write the files');
  });

  it('quotes the text of the file in errors', async () => {
    await atrium.fill('Quoted', [{ code: 'A', weight: 7 }]);
    atrium.write('quoted.csv', 'code;weight\nA;1,5\nB;1.234.567.890.123.456,78\n');
    for (const flags of [[], ['--on-error', 'continue', '--results', 'quoted']]) {
      const { code, stderr } = await atrium.run(['import', 'quoted.csv', '--table', 'Quoted', ...flags]);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('1.234.567.890.123.456,78') });
    }
    expect(atrium.read('quoted/rejected.csv')).toContain('"""1.234.567.890.123.456,78"" has more digits');
  });
});

describe('atrium init sap', () => {
  const LOCATIONS = 'TPLNR;PLTXT;TPLMA;EQART\nAT10;Plant;;ANL\nAT10-1;Hall "1";AT10;GEB\n';
  const EQUIPMENT =
    'MANDT;EQUNR;EQKTX;TPLNR;HEQUI;BRGEW;INBDT;LVORM;ZZOWN\n' +
    '100;000010;Pump;AT10-1;;1.234,500;31.01.2024;;a\n100;000011;Motor;AT10-1;000010;75,250-;00.00.0000;X;b\n';

  it('prints mappings whose imports have a hierarchy, references and names of people', async () => {
    atrium.write('locations.csv', LOCATIONS);
    atrium.write('equipment.csv', EQUIPMENT);
    for (const name of ['locations', 'equipment'])
      atrium.write(`${name}.yaml`, (await atrium.run(['init', 'sap', `${name}.csv`])).stdout);
    const load = (name: string, table: string, entity: string) =>
      atrium.json(
        'import',
        `${name}.csv`,
        '--mapping',
        `${name}.yaml`,
        '--table',
        table,
        '--entity',
        entity,
        '--create',
      );
    expect(await load('locations', 'Functional Locations', 'location')).toMatchObject({ created: 2, unresolved: 0 });
    expect(await load('equipment', 'Equipment', 'asset')).toMatchObject({ created: 2, unresolved: 0 });
    const describe = async (table: string) =>
      (await atrium.json('describe', table)).columns.map(({ key, name, type, primaryKey, options }: any) => [
        ...[key, name, primaryKey ? 'key' : type],
        ...(options.target ? [options.target.table] : []),
      ]);
    expect(await describe('Functional Locations')).toEqual([
      ['functional_location', 'Functional location', 'key'],
      ['name', 'Name', 'text'],
      ['superior_location', 'Superior functional location', 'hierarchyParent'],
      ['object_type', 'Object type', 'text'],
    ]);
    expect(await describe('Equipment')).toEqual([
      ['mandt', 'MANDT', 'number'],
      ['equipment', 'Equipment', 'key'],
      ['name', 'Name', 'text'],
      ['functional_location', 'Functional location', 'reference', 'Functional Locations'],
      ['superior_equipment', 'Superior equipment', 'hierarchyParent'],
      ['gross_weight', 'Gross weight', 'number'],
      ['start_up_date', 'Start-up date', 'date'],
      ['deletion_flag', 'Deletion flag', 'checkbox'],
      ['zzown', 'ZZOWN', 'text'],
    ]);
    expect(await atrium.rowsOf('Equipment')).toMatchObject([
      { equipment: '000010', gross_weight: 1234.5, start_up_date: '2024-01-31' },
      { equipment: '000011', gross_weight: -75.25, start_up_date: null, deletion_flag: true },
    ]);
  });
});
