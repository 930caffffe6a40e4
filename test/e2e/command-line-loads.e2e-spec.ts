import { parse } from 'csv-parse/sync';
import { writeXlsx } from 'hucre/xlsx';
import { load } from 'js-yaml';
import { CommandLine, type CommandOutcome, ending } from '../support/command-line.js';
import { shareService } from '../support/shared-services.js';

let atrium: CommandLine;

beforeAll(async () => {
  const { service } = await shareService();
  atrium = new CommandLine(service, await service.provision());
});

describe('a load with rejected rows', () => {
  const LINES = Array.from({ length: 5_000 }, (_, index) => `K${index};${index},5`);

  it('is one batch, which `undo --results` takes back', async () => {
    await atrium.fill('Loaded', [{ code: 'K0', weight: 7 }]);
    atrium.write('loaded.csv', ['code;weight', ...LINES, 'BAD;heavy'].join('\n'));
    const load = ['import', 'loaded.csv', '--table', 'Loaded', '--on-error', 'continue', '--results', 'out'];
    const loaded = await atrium.run(load);
    expect(loaded.code).toBe(2);
    const { batches } = atrium.readJson('out/summary.json');
    expect(batches).toHaveLength(1);
    expect(loaded.stderr).toContain(`atrium undo ${batches[0]}`);
    expect(await atrium.client.batches.get(batches[0])).toMatchObject({
      tables: [{ counts: { created: 4_999, updated: 1, deleted: 0 } }],
    });
    expect((await atrium.run('undo --results out')).stderr).toContain('--yes');
    const undone = await atrium.run('undo --results out --yes');
    expect(undone).toMatchObject(ending(0, /asset\/Loaded: deletes [\d,]+ created rows/));
    expect(await atrium.rowsOf('Loaded')).toEqual([{ code: 'K0', weight: 7 }]);
    const again = await atrium.run('undo --results out --yes');
    expect(again).toMatchObject(ending(1, 'undone before'));
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
    // People correct the first file: its line is that of the row.
    expect(left.map(({ line, weight }) => [line, weight])).toEqual([['4', '2.5x']]);
    const [error] = atrium.read('parts/retry-1/errors.ndjson').trim().split('\n');
    expect(JSON.parse(error!)).toMatchObject({ line: 4, key: 'C' });
    expect((await atrium.run([...retry, 'partly.csv'])).stderr).toContain('omit files');
    expect((await atrium.run('import --table Corrected')).stderr).toContain('Write the files');
  });

  it('is completed with the flags that take precedence over its mapping', async () => {
    await atrium.fill('Flagged', [{ code: 'K0', weight: 7 }]);
    atrium.write('flagged.csv', 'code;weight\nA;1,5\nB;1.5x\n');
    atrium.write('flagged.yaml', 'columns: [{ from: code }, { from: weight }]');
    const load = ['import', 'flagged.csv', '--table', 'Flagged', '--on-error', 'continue', '--results', 'flagged'];
    expect((await atrium.run([...load, '--mapping', 'flagged.yaml', '--decimal', ','])).code).toBe(2);
    atrium.write('flagged/rejected.csv', atrium.read('flagged/rejected.csv').replace(/1\.5x$/m, '2,5'));
    await atrium.json('import', '--retry-rejected', 'flagged');
    expect(await atrium.rowsOf('Flagged')).toContainEqual({ code: 'B', weight: 2.5 });
  });

  it('is not retried if it has stored none of its valid rows', async () => {
    atrium.write('none.csv', 'code,weight\nA,1\nB,heavy\n');
    atrium.write('none.yaml', 'columns: [{ from: code, primaryKey: true }, { from: weight, type: number }]');
    const load = ['import', 'none.csv', '--table', 'None', '--mapping', 'none.yaml', '--results', 'none', '--create'];
    expect((await atrium.run(load)).code).toBe(2);
    const retry = () => atrium.run('import --retry-rejected none');
    expect(await retry()).toMatchObject(ending(1, /^none: the load stored none of its valid rows\. Correct the file/));
    expect((await atrium.run([...load, '--dry-run', '--on-error', 'continue'])).code).toBe(2);
    expect(await atrium.run('import --retry-rejected none/dry-run')).toMatchObject(ending(1, 'none of its valid rows'));
    const file = await atrium.run('import none/rejected.csv --table None --create');
    expect(file).toMatchObject(ending(1, /table does not exist\. To retry rejected rows, import all rows of the load/));
    expect((await atrium.run([...load, '--on-error', 'continue'])).code).toBe(2);
    atrium.write('none/rejected.csv', atrium.read('none/rejected.csv').replace(/heavy$/m, '2'));
    expect((await retry()).code).toBe(0);
    expect(await atrium.rowsOf('None')).toEqual([
      { code: 'A', weight: 1 },
      { code: 'B', weight: 2 },
    ]);
  });

  it('of a workbook is completed by rejected objects: numbers remain numbers, and cell errors are rejected', async () => {
    const columns = ['code', 'name', 'serial', 'line'].map((key) => ({ key, name: key, type: 'text' as const }));
    const others = [
      { key: 'since', name: 'since', type: 'date' as const },
      { key: 'weight', name: 'weight', type: 'number' as const },
    ];
    await atrium.client.assets('Cells of workbooks').upsert([], { columns: [...columns, ...others] });
    const header = ['code', 'name', 'serial', 'line', 'since', 'weight'];
    const cells = new Map([
      ['1,1', { formula: 'NEW()' }],
      ['2,2', { value: 7, style: { numFmt: '000' } }],
      ['2,5', { value: 1.5, style: { numFmt: '0.00' } }],
    ]);
    const rows = [header, ['A', null, 'a', 'x', null, 2], ['B', 'b', 7, 'y', '31.13.2024', 1.5]];
    rows.push(['C', 'c', 'c', 'z', '31.13.2024', 1.234]);
    atrium.write('cells.xlsx', Buffer.from(await writeXlsx({ sheets: [{ name: 'S', rows, cells }] })));
    const load = ['import', 'cells.xlsx', '--table', 'Cells of workbooks', '--on-error', 'continue'];
    const flags = ['--decimal', ',', '--thousands', '.', '--date-format', 'DD.MM.YYYY', '--results', 'workbook'];
    expect((await atrium.run([...load, ...flags])).code).toBe(2);
    const rejected = atrium.read('workbook/rejected.ndjson');
    atrium.write('workbook/rejected.ndjson', rejected.replaceAll('31.13.2024', '31.12.2024'));
    const retried = await atrium.run('import --retry-rejected workbook');
    expect(retried).toMatchObject(ending(2, /key A, column name: .*formula without a stored value/));
    expect(await atrium.rowsOf('Cells of workbooks')).toEqual([
      { code: 'B', name: 'b', serial: '007', line: 'y', since: '2024-12-31', weight: 1.5 },
      { code: 'C', name: 'c', serial: 'c', line: 'z', since: '2024-12-31', weight: 1.234 },
    ]);
  });

  it('names the line of rejected.csv, and what to correct, if a row has other cells than the header', async () => {
    await atrium.fill('Cells', [{ code: 'A', weight: 7 }]);
    atrium.write('cells.csv', 'code,weight\nB,1\nC,1,2\n');
    const load = ['import', 'cells.csv', '--table', 'Cells', '--on-error', 'continue', '--results', 'cells'];
    expect((await atrium.run(load)).code).toBe(2);
    const { code, stderr } = await atrium.run('import --retry-rejected cells');
    const message = 'The header has 6 cells; this row has 7 cells. Give the row a cell for each column.';
    expect({ code, stderr }).toEqual(ending(2, `cells/rejected.csv:\n  line 2: ${message}`));
    expect(atrium.read('cells/retry-1/rejected.csv')).toContain(message);
    // A row that is sent as a text has its own problem in the message, too.
    atrium.write('cells.yaml', 'columns: [{ from: code }, { from: weight, type: number, map: { x: 0 } }]');
    const compared = await atrium.run('diff cells.csv Cells --mapping cells.yaml');
    expect(compared.stdout).toContain('line 3: The header has 2 cells; this row has 3 cells.');
  });

  it('rejects a first row whose cells are moved, also if the file is sent as objects', async () => {
    await atrium.fill('Moved', [{ code: 'A', name: 'a', weight: 7 }]);
    atrium.write('moved.csv', 'code;name;weight\nB;Valve; big;\nC;Pump;1\nD;Fan;\n');
    atrium.write('moved.yaml', 'columns: [{ from: code }, { from: name, map: { x: y } }, { from: weight }]');
    for (const flags of [[], ['--mapping', 'moved.yaml']]) {
      const { stderr } = await atrium.run(['import', 'moved.csv', '--table', 'Moved', ...flags]);
      expect(stderr).toMatch(/moved\.csv:\n {2}line 2: This row has 4 cells; line 3 has 3 cells\. .*\nNothing/);
    }
    const load = ['import', 'moved.csv', '--table', 'Moved', '--on-error', 'continue', '--mapping', 'moved.yaml'];
    await atrium.run(load);
    expect((await atrium.rowsOf('Moved')).map(({ code }) => code)).toEqual(['A', 'C', 'D']);
  });

  it('names the header if only it ends with a delimiter', async () => {
    await atrium.fill('Headed', [{ code: 'A', weight: 7 }]);
    atrium.write('headed.csv', 'code,weight,\nA,1\nB,2\n');
    for (const command of [
      ['sync', 'headed.csv', 'Headed', '--yes'],
      ['init', 'sap', 'headed.csv'],
    ])
      expect(await atrium.run(command)).toMatchObject(
        ending(1, /^Line 1: The header ends with a delimiter and has 3 cells; all rows have 2 cells/),
      );
  });

  it('quotes the text of the file in errors', async () => {
    await atrium.fill('Quoted', [{ code: 'A', weight: 7 }]);
    atrium.write('quoted.csv', 'code;weight\nA;1,5\nB;1.234.567.890.123.456,78\n');
    for (const flags of [[], ['--on-error', 'continue', '--results', 'quoted']]) {
      const { code, stderr } = await atrium.run(['import', 'quoted.csv', '--table', 'Quoted', ...flags]);
      expect({ code, stderr }).toEqual(ending(2, '1.234.567.890.123.456,78'));
    }
    expect(atrium.read('quoted/rejected.csv')).toContain('"""1.234.567.890.123.456,78"" has more digits');
  });
});

describe('the result files of a load', () => {
  const keysOf = (file: string, column = 'code'): string[] =>
    parse<Record<string, string>>(atrium.read(file), { columns: true }).map((row) => row[column]!);
  const BEFORE = [
    { code: 'A', weight: 1 },
    { code: 'B', weight: 2 },
    { code: 'C', weight: 3 },
  ];

  it('have the rows by what the import has done with them', async () => {
    await atrium.fill('Mixed', BEFORE);
    atrium.write('mixed.csv', 'code,weight\nA,1\n E ,5\nB,9\nD,4\nX,heavy\nY,1,2\nC,3\nD,6\n');
    const load = ['import', 'mixed.csv', '--table', 'Mixed', '--on-error', 'continue', '--results', 'mixed'];
    expect((await atrium.run([...load, '--on-duplicate', 'first'])).code).toBe(2);
    expect([keysOf('mixed/created.csv'), keysOf('mixed/updated.csv')]).toEqual([[' E ', 'D'], ['B']]);
    const rejected = parse(atrium.read('mixed/rejected.csv'), { from: 2, relax_column_count: true });
    expect(rejected.map(([line, code, , , ...cells]) => [line, code, cells])).toEqual([
      ['6', 'type_mismatch', ['X', 'heavy']],
      ['7', 'cell_count', ['Y', '1', '2']],
    ]);
    const skipped = parse(atrium.read('mixed/skipped.csv'), { from: 2 });
    expect(skipped.map(([line, code, , , ...cells]) => [line, code, cells])).toEqual([
      ['9', 'duplicate_skipped', ['D', '6']],
    ]);
    const summary = atrium.readJson('mixed/summary.json');
    expect(summary).toMatchObject({ created: 2, updated: 1, unchanged: 2, rejected: 2, skipped: 1 });
  });

  it.each([
    ['', 'A,old,1\nA,new,2\nB,b,heavy\nC,c,3\n'],
    [', also if a skipped row is invalid', 'A,old,bad\nA,new,2\nB,b,heavy\nC,c,3\n'],
  ])('have skipped rows in a file that a retry does not send%s', async (_, rows) => {
    const table = rows.includes('bad') ? 'Invalid' : 'Skipped';
    await atrium.fill(table, [{ key: 'Z', name: 'z', w: 0 }]);
    atrium.write('skipped-rows.csv', `key,name,w\n${rows}`);
    const load = ['import', 'skipped-rows.csv', '--table', table, '--on-duplicate', 'last', '--on-error', 'continue'];
    expect((await atrium.run([...load, '--results', table])).code).toBe(2);
    const files = ['rejected', 'skipped'].map((name) => keysOf(`${table}/${name}.csv`, 'key'));
    expect(files).toEqual([['B'], ['A']]);
    atrium.write(`${table}/rejected.csv`, atrium.read(`${table}/rejected.csv`).replace(',b,heavy', ',b,7'));
    expect((await atrium.run(['import', '--retry-rejected', table])).code).toBe(0);
    expect(await atrium.rowsOf(table)).toEqual([
      { key: 'A', name: 'new', w: 2 },
      { key: 'B', name: 'b', w: 7 },
      { key: 'C', name: 'c', w: 3 },
      { key: 'Z', name: 'z', w: 0 },
    ]);
  });

  it('of a file that is stored completely or not at all: only the rejected rows, or all others', async () => {
    await atrium.fill('Whole', BEFORE);
    atrium.write('whole.csv', 'code,weight\nA,9\nD,4\nX,heavy\n');
    const load = (file: string) => atrium.run(['import', file, '--table', 'Whole', '--results', 'whole']);
    expect((await load('whole.csv')).code).toBe(2);
    expect([keysOf('whole/created.csv'), keysOf('whole/updated.csv')]).toEqual([[], []]);
    expect(keysOf('whole/rejected.csv')).toEqual(['X']);
    expect(atrium.readJson('whole/summary.json')).toMatchObject({ rejected: 1, isStored: false });
    expect(await atrium.rowsOf('Whole')).toEqual(BEFORE);
    atrium.write('corrected.csv', 'code,weight\nA,9\nD,4\n');
    expect((await load('corrected.csv')).code).toBe(0);
    expect([keysOf('whole/created.csv'), keysOf('whole/updated.csv')]).toEqual([['D'], ['A']]);
  });

  it.each([
    ['a table', 'Planned', [], { created: 1, updated: 2, unchanged: 1, rejected: 1 }, [['D'], ['A', 'B']]],
    ['a new table', 'Future', ['--create'], { created: 4, updated: 0, rejected: 1 }, [['A', 'B', 'C', 'D'], []]],
  ])('of a dry run for %s have the rows that would be stored', async (_, table, flags, counts, keys) => {
    await atrium.fill('Planned', BEFORE);
    atrium.write('planned.csv', 'code,weight\nA,9\nB,8\nC,3\nD,4\nX,heavy\n');
    atrium.write('planned.yaml', 'columns: [{ from: code, primaryKey: true }, { from: weight, type: number }]');
    const load = ['import', 'planned.csv', '--table', table, '--mapping', 'planned.yaml', ...flags];
    const { code, stdout } = await atrium.run([
      ...load,
      '--dry-run',
      '--on-error',
      'continue',
      '--results',
      'p',
      '--json',
    ]);
    expect({ code, summary: JSON.parse(stdout) }).toMatchObject({ code: 2, summary: counts });
    expect([keysOf('p/dry-run/created.csv'), keysOf('p/dry-run/updated.csv')]).toEqual(keys);
    expect(keysOf('p/dry-run/rejected.csv')).toEqual(['X']);
    expect((await atrium.json('tables')).map(({ name }: any) => name)).not.toContain('Future');
    expect(await atrium.rowsOf('Planned')).toEqual(BEFORE);
  });

  it('of a dry run that adds a column count rows with a value in it as updated', async () => {
    await atrium.fill('Widened', BEFORE);
    atrium.write('widened.csv', 'code,weight,parent\nA,1,\nB,2,A\nC,7,\nD,4,D\n');
    atrium.write(
      'widened.yaml',
      'columns: [{ from: code }, { from: weight }, { from: parent, type: hierarchyParent }]',
    );
    const load = ['import', 'widened.csv', '--table', 'Widened', '--mapping', 'widened.yaml', '--create', '--dry-run'];
    const { stdout } = await atrium.run([...load, '--on-error', 'continue', '--results', 'widened', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      created: 0,
      updated: 2,
      unchanged: 1,
      rejected: 1,
      errors: [{ line: 5, code: 'hierarchy_cycle' }],
    });
    expect(keysOf('widened/dry-run/updated.csv')).toEqual(['B', 'C']);
    expect((await atrium.json('describe', 'Widened')).columns.map(({ key }: any) => key)).toEqual(['code', 'weight']);
  });
});

it('a file asks whether digits with leading zeros are numbers, if the column of the table is a number', async () => {
  await atrium.fill('Numbered', [{ code: 'A', weight: 7 }]);
  atrium.write('zeros.csv', 'code,weight\nA,7\nB,0001\n');
  const load = ['import', 'zeros.csv', '--table', 'Numbered'];
  expect(await atrium.run(load)).toMatchObject(ending(1, '"0001" (line 3, column "weight") may be a code'));
  expect(await atrium.rowsOf('Numbered')).toEqual([{ code: 'A', weight: 7 }]);
  expect((await atrium.run([...load, '--decimal', '.'])).code).toBe(0);
  expect(await atrium.rowsOf('Numbered')).toEqual([
    { code: 'A', weight: 7 },
    { code: 'B', weight: 1 },
  ]);
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
      ['tplnr', 'Functional location', 'key'],
      ['name', 'Name', 'text'],
      ['parent', 'Superior functional location', 'hierarchyParent'],
      ['object_type', 'Object type', 'text'],
    ]);
    expect(await describe('Equipment')).toEqual([
      ['mandt', 'MANDT', 'number'],
      ['equnr', 'Equipment', 'key'],
      ['name', 'Name', 'text'],
      ['location', 'Functional location', 'reference', 'Functional Locations'],
      ['parent', 'Superior equipment', 'hierarchyParent'],
      ['brgew', 'Gross weight', 'number'],
      ['inbdt', 'Start-up date', 'date'],
      ['lvorm', 'Deletion flag', 'checkbox'],
      ['zzown', 'ZZOWN', 'text'],
    ]);
    expect(await atrium.rowsOf('Equipment')).toMatchObject([
      { equnr: '000010', brgew: 1234.5, inbdt: '2024-01-31' },
      { equnr: '000011', brgew: -75.25, inbdt: null, lvorm: true },
    ]);
  });

  it('leaves the type of a known field despite a few invalid values, and names their lines', async () => {
    const rows = Array.from({ length: 40 }, (_, index) => `${index};${index + 1}.${index % 10}00,5;31.01.2024;x`);
    // Only the valid values prove the decimal comma. More than half of the values of ANSWT are invalid.
    const dirty = rows.with(7, '7;heavy;31.13.2024;1,5').with(20, '20;1.5.2;soon;x');
    atrium.write('dirty.csv', ['EQUNR;BRGEW;INBDT;ANSWT', ...dirty].join('\n'));
    const { code, stdout, stderr } = await atrium.run('init sap dirty.csv');
    expect([code, stderr]).toEqual([0, '']);
    const { columns, decimal } = load(stdout) as { columns: any[]; decimal: string };
    expect(decimal).toBe(',');
    expect(columns.map(({ type, format }: any) => [type, format])).toEqual([
      ['text', undefined],
      ['number', undefined],
      ['date', 'DD.MM.YYYY'],
      ['text', undefined],
    ]);
    const lines = stdout.split('\n').filter((line) => line.trim().startsWith('#'));
    expect(lines.slice(2)).toEqual([
      ...[
        expect.stringMatching(/Invalid values of BRGEW: 2 of 40\./),
        expect.stringMatching(/Correct them in the file, .* Otherwise, their rows are rejected/),
        expect.stringMatching(/ line 9: "heavy" is not a number/),
        expect.stringMatching(/ line 22: "1\.5\.2" is not a number/),
      ],
      ...[
        expect.stringMatching(/Invalid values of INBDT: 2 of 40\./),
        expect.anything(),
        expect.stringMatching(/ line 9: "31\.13\.2024"/),
        expect.stringMatching(/ line 22: "soon"/),
      ],
      expect.stringMatching(/Invalid values of ANSWT: 39 of 40\./),
      expect.stringMatching(/The field is a number in SAP, but this column is a text\./),
      ...Array.from({ length: 10 }, () => expect.stringMatching(/ line \d+: "x"/)),
      expect.stringMatching(/and 29 more/),
    ]);
    // JSON has no comments.
    const asJson = await atrium.run('init sap dirty.csv --json');
    expect(JSON.parse(asJson.stdout)).toMatchObject({ columns });
    expect(asJson.stderr).toMatch(/line 9: "heavy"/);
  });

  it('states what other type an unknown column could have', async () => {
    const rows = ['1000;1,5;1', '1010;2,5;20', '2000;12,5 kg;3', '2010;;4'];
    atrium.write(
      'doubtful.csv',
      `EQUNR;ZZCODE;ZZWEIGHT;ZZCOUNT\n${rows.map((row, at) => `${at};${row}`).join('\n')}\n`,
    );
    const { stdout } = await atrium.run('init sap doubtful.csv');
    const { columns } = load(stdout) as { columns: any[] };
    expect(columns.map(({ type }: any) => type)).toEqual(['text', 'number', 'text', 'number']);
    const lines = stdout.split('\n').filter((line) => line.trim().startsWith('#'));
    expect(lines.slice(2)).toEqual([
      expect.stringMatching(/All values have 4 digits\. If they are codes, write the type text: .* 0001 as 1\./),
      expect.stringMatching(/2 of 3 values are numbers, but not "12,5 kg" in line 4\./),
    ]);
  });

  it('prints one mapping of several files, with the configuration by which `sync` loads them', async () => {
    const { service } = await shareService();
    const other = new CommandLine(service, await service.provision());
    const fixed = (...cells: string[]) => cells.map((cell) => cell.padEnd(10)).join('');
    const layout = (...names: string[]) =>
      JSON.stringify({ fields: names.map((name, index) => ({ name, start: index * 10, width: 10 })) });
    other.write('equipment.txt', [fixed('000010', 'Pump', 'AT10'), fixed('000011', 'Motor', 'AT10-1')].join('\n'));
    other.write('equipment.json', layout('EQUNR', 'EQKTX', 'TPLNR'));
    other.write('locations.txt', [fixed('AT10', 'Plant', ''), fixed('AT10-1', 'Hall', 'AT10')].join('\n'));
    other.write('locations.json', layout('TPLNR', 'PLTXT', 'TPLMA'));
    // A table has one column with a name.
    other.write('list.csv', 'EQUNR;PLTXT;EQKTX;NAME\nA;Hall;Pump;P\n');
    const layouts = ['--layout', 'equipment.json', '--layout', 'locations.json'];
    const printed = await other.run(['init', 'sap', 'equipment.txt', 'locations.txt', ...layouts]);
    expect(printed.code).toBe(0);
    other.write('mapping.yaml', printed.stdout);
    const [, configuration] = /atrium\.sync\.yaml`:\n\n((?:# .*\n)+)/.exec(printed.stdout)!;
    other.write('atrium.sync.yaml', configuration!.replace(/^# {3}/gm, ''));
    const sync = ['sync', '--config', 'atrium.sync.yaml', '--yes'];
    expect(await other.json(...sync)).toMatchObject([
      { table: 'Functional Locations', created: 2, unresolved: 0 },
      { table: 'Equipment', created: 2, unresolved: 0 },
    ]);
    expect(await other.json(...sync)).toMatchObject([{ unchanged: 2 }, { unchanged: 2 }]);
    expect(await other.rowsOf('Equipment')).toMatchObject([
      { equnr: '000010', location: 'AT10' },
      { equnr: '000011', location: 'AT10-1' },
    ]);

    other.write('mapping.yaml', (await other.run('init sap list.csv')).stdout);
    const load = ['import', 'list.csv', '--table', 'Names', '--mapping', 'mapping.yaml', '--create'];
    expect(await other.json(...load)).toMatchObject({ created: 1 });
    expect(await other.rowsOf('Names')).toEqual([{ equnr: 'A', pltxt: 'Hall', name: 'Pump', name_name: 'P' }]);
    for (const [files, message] of [
      [['list.csv', 'list.csv'], /both for the table asset\/Equipment/],
      [['list.csv', 'equipment.txt', 'equipment.txt', ...layouts], /--layout once for all files/],
    ] as const)
      expect(await other.run(['init', 'sap', ...files])).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(message),
      });
  });
});

describe('a path that cannot be written', () => {
  it('is named as it was given, with the reason, before something is stored', async () => {
    await atrium.fill('Unwritten', [{ code: 'A', weight: 1 }]);
    const exported = await atrium.run('export Unwritten --output no/such/x.csv');
    expect(exported).toMatchObject({
      code: 1,
      stderr: 'no/such/x.csv cannot be written: the folder no/such does not exist.\n',
    });
    atrium.write('new.csv', 'code,weight\nB,2\n');
    const loaded = await atrium.run('import new.csv --table Unwritten --results new.csv --quiet');
    expect(loaded).toMatchObject({ code: 1, stderr: 'new.csv cannot be written: it is a file.\n' });
    // Such as those of absent variables in a script.
    for (const args of [
      ['export', 'Unwritten', '--output', ''],
      ['import', 'new.csv', '--table', 'Unwritten', '--results', '', '--quiet'],
    ])
      expect(await atrium.run(args)).toMatchObject({ code: 1, stderr: 'The path is empty.\n' });
    expect(await atrium.rowsOf('Unwritten')).toHaveLength(1);
  });

  // Node's recursive mkdir never ends in /proc.
  it('is named if folders cannot be created in it', async () => {
    const run = async (args: string[], variables: Record<string, string> = {}): Promise<CommandOutcome> => {
      const commandLine = new CommandLine(atrium.service, atrium.caller, variables);
      commandLine.write('row.csv', 'code,weight\nB,2\n');
      const outcome = await commandLine.run(args);
      return outcome;
    };
    await atrium.fill('In proc', [{ code: 'A', weight: 1 }]);
    const load = ['import', 'row.csv', '--table', 'In proc', '--quiet'];
    const { clientId: ATRIUM_CLIENT_ID, clientSecret: ATRIUM_CLIENT_SECRET } = atrium.caller;
    const client = { ATRIUM_API_KEY: '', ATRIUM_CLIENT_ID, ATRIUM_CLIENT_SECRET };
    // Only root may try to create a folder.
    const reason = process.getuid?.() === 0 ? 'folders cannot be created in /proc' : 'the permission is missing';
    for (const [path, outcome] of [
      ['/proc/x/y', await run([...load, '--results', '/proc/x/y'])],
      ['/proc/x/atrium/imports', await run(load, { XDG_CONFIG_HOME: '/proc/x' })],
      ['/proc/x/atrium', await run(['login'], { XDG_CONFIG_HOME: '/proc/x' })],
      ['/proc/x', await run(['tables'], { XDG_CONFIG_HOME: '/proc/x', ...client })],
    ] as const)
      expect(outcome).toMatchObject({ code: 1, stderr: `${path} cannot be written: ${reason}.\n` });
    expect(await atrium.rowsOf('In proc')).toHaveLength(1);
  });
});

it('lists a batch that changed no rows as such, and errors of the service without names of JSON', async () => {
  await atrium.importNew(atrium.write('created.csv', 'code,weight\nA,1\n'), 'Created first');
  const { stdout } = await atrium.run(['batches', 'Created first']);
  expect(stdout).toMatch(/ import +Created first +\+1 ~0 -0/);
  expect(stdout).toMatch(/ bulk +Created first +no rows/);
  const { stderr } = await atrium.run(['set', 'Created first', 'A', 'weight=heavy']);
  expect(stderr).toMatch(/^The row cannot be stored; nothing was stored\. Correct the values in the list below\./);
  expect(stderr).toContain('column weight: "heavy" is not a number.');
});
