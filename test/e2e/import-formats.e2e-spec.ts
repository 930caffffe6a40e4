import { createHash, randomUUID } from 'node:crypto';
import type { ApiResponse } from '../support/api.js';
import { importRecord, lines, sendFile, type Sent } from '../support/imports.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { column, keyAt, manyRows, Tables, text, unique } from '../support/tables.js';

let service: SharedService;
let tables: Tables;

beforeAll(async () => {
  ({ service } = await shareService());
  tables = Tables.of(service, await service.provision());
}, 60_000);

const COLUMNS = [
  text('EQUNR'),
  text('Name'),
  column('Weight', 'number'),
  column('Since', 'date'),
  column('Parent', 'hierarchyParent'),
];

async function createTable(items: unknown[] = []): Promise<string> {
  const name = unique('Import');
  expect((await tables.bulk('assets', { name, columns: COLUMNS, items })).status).toBe(201);
  return name;
}

const csv = (table: string, body: string | Uint8Array, query: Record<string, string> = {}, sent: Sent = {}) =>
  sendFile(tables, table, body, { type: 'text/csv', query, ...sent });
const rows = (table: string) => tables.rows('assets', table);
const totals = ({ body }: ApiResponse) => body.data.totals;
const errorsOf = ({ body }: ApiResponse) => body.details?.errors ?? body.data.errors;
const field = ({ status, body }: ApiResponse) => [status, body.details?.errors[0].field];

describe('formats of imports', () => {
  it('reads numbers and dates as an export of another country writes them', async () => {
    const table = await createTable();
    const file = [
      'equnr;weight;since',
      '1;1.234,5;04.05.2026',
      '2;-0,25;2026-05-04',
      '3;1500;20260504',
      '4;n/a;00.00.0000',
      '',
    ];
    const formats = {
      delimiter: ';',
      decimal: ',',
      thousands: '.',
      dateFormat: 'DD.MM.YYYY',
      nullValues: 'n/a,00.00.0000',
    };
    expect((await csv(table, file.join('\r\n'), formats)).status).toBe(200);
    expect((await rows(table)).map(({ weight, since }) => [weight, since])).toEqual([
      [1234.5, '2026-05-04'],
      [-0.25, '2026-05-04'],
      [1500, '2026-05-04'],
      [null, null],
    ]);
  });

  it('rejects values that the formats do not allow', async () => {
    const table = await createTable();
    const file = 'equnr;weight;since\n1;1.5;31.02.2026\n2;1.50,0;5/4/2026\n3;1,5;1.2.2026\n';
    const answer = await csv(table, file, { delimiter: ';', decimal: ',', dateFormat: 'DD.MM.YYYY' });
    expect(errorsOf(answer).map(({ line, column: name }: any) => [line, name])).toEqual([
      [2, 'weight'],
      [2, 'since'],
      [3, 'weight'],
      [3, 'since'],
      [4, 'since'],
    ]);
    expect(errorsOf(answer)[0].message).toBe('"1.5" is not a number with these separators: decimal ",".');
    const grouped = await csv(table, file.split('\n').slice(0, 2).join('\n'), {
      delimiter: ';',
      decimal: ',',
      thousands: '.',
    });
    expect(errorsOf(grouped).map(({ column: name }: any) => name)).toEqual(['weight', 'since']);
  });

  it('reads the same formats in NDJSON, and leaves numbers of JSON unchanged', async () => {
    const table = await createTable();
    const items = [
      { equnr: ' 1 ', name: ' Pump ', weight: '1,5', since: '5/4/2026' },
      { equnr: '2', weight: 1.5, name: '-' },
    ];
    const query = { decimal: ',', trim: 'true', nullValues: '-', dateFormat: 'M/D/YYYY' };
    expect((await sendFile(tables, table, lines(items), { query })).status).toBe(200);
    expect(await rows(table)).toEqual([
      { equnr: '1', name: 'Pump', weight: 1.5, since: '2026-05-04', parent: null },
      { equnr: '2', name: null, weight: 1.5, since: null, parent: null },
    ]);
  });

  it('reads local date-times of a timezone, and rejects those that do not exist or exist twice', async () => {
    const table = await createTable();
    const query = { dateFormat: 'YYYY-MM-DD HH:mm:ss,D.M.YYYY H:mm', timezone: 'europe/vienna' };
    const valid = [
      '1,2024-01-31 08:00:00',
      '2,2024-07-01 08:00:00.250',
      '3,31.1.2024 8:05',
      '4,2024-01-31T08:00Z',
      '5,2024-01-31',
      '6,0000-00-00 00:00:00',
    ];
    const invalid = [
      '7,2024-03-31 02:30:00',
      '8,2024-10-27 02:30:00',
      '9,2024-01-31 24:00:00',
      '10,2024-01-31T08:00',
      '11,2024-02-30 08:00:00',
    ];
    const file = ['equnr,since', ...valid, ...invalid].join('\n');
    const answer = await csv(table, file, { ...query, onError: 'continue' });
    expect((await rows(table)).map(({ since }) => since)).toEqual([
      '2024-01-31T07:00:00.000Z',
      '2024-07-01T06:00:00.250Z',
      '2024-01-31T07:05:00.000Z',
      '2024-01-31T08:00:00.000Z',
      '2024-01-31',
      null,
    ]);
    expect(errorsOf(answer).map(({ line, message }: any) => [line, message])).toEqual([
      [8, '"2024-03-31 02:30:00" does not exist in europe/vienna.'],
      [9, '"2024-10-27 02:30:00" exists twice in europe/vienna. Add its offset, such as +01:00.'],
      [10, expect.stringContaining('"2024-01-31 24:00:00" is not a date. Accepted: YYYY-MM-DD')],
      [11, '"2024-01-31T08:00" has no offset. Set the date format YYYY-MM-DDTHH:mm and a timezone.'],
      [12, expect.stringContaining('Accepted: YYYY-MM-DD')],
    ]);
    const unset = await csv(table, 'equnr,since\n1,2024-01-31 08:00:00\n');
    expect(errorsOf(unset)[0].message).toBe(
      '"2024-01-31 08:00:00" has no offset. Set the date format YYYY-MM-DD HH:mm:ss and a timezone.',
    );
    for (const [name, value] of [
      ['dateFormat', 'YYYY-MM-DD HH:mm'],
      ['timezone', '+01:00'],
      ['timezone', 'Europe/Nowhere'],
    ] as const)
      expect(field(await csv(table, 'equnr\n1\n', { [name]: value }))).toEqual([400, 'timezone']);
  });

  it('stores the empty text of a cell with quotes as text, false or null, by the type of the column', async () => {
    const name = unique('Import');
    const types = ['locationTag', 'space', 'tagStatus', 'checkbox', 'number', 'date', 'reference'];
    const columns = [text('Key'), text('Text'), ...types.map((type) => column(type, type))];
    expect((await tables.bulk('assets', { name, columns, items: [] })).status).toBe(201);
    const file = `${['key', 'text', ...types].join(',')}\nA${',""'.repeat(8)}\nB${','.repeat(8)}\n`;
    expect((await csv(name, file)).status).toBe(200);
    const [quoted, empty] = (await rows(name)).map((row) => Object.values(row));
    expect(quoted).toEqual(['A', '', '', '', '', false, null, null, null]);
    expect(empty).toEqual(['B', ...Array.from({ length: 8 }, () => null)]);
  });

  it('explains that JSON of several lines is not NDJSON', async () => {
    const table = await createTable();
    for (const document of [[{ equnr: '1' }], { value: [{ equnr: '1' }] }]) {
      const answer = await sendFile(tables, table, JSON.stringify(document, null, 2));
      const message = 'Line 1 begins a JSON document of several lines. Send one JSON object per line.';
      expect([answer.status, errorsOf(answer)[0].message]).toEqual([400, message]);
    }
  });

  it('quotes the beginning of a long text of the file in a whole sentence', async () => {
    const table = await createTable();
    const blanks = ' '.repeat(50);
    const file = `equnr;weight\n1;${'1,'.repeat(500)}\n2;${blanks}1,5x${'9'.repeat(500)}${blanks}\n3;${'1'.repeat(400)},5-\n`;
    const answer = await csv(table, file, { delimiter: ';', decimal: ',', trim: 'true' });
    expect(errorsOf(answer).map(({ message }: any) => message)).toEqual([
      `"${'1,'.repeat(28)}1…" is not a number with these separators: decimal ",".`,
      `"1,5x${'9'.repeat(53)}…" is not a number with these separators: decimal ",".`,
      `The number ${'1'.repeat(59)}… is too large.`,
    ]);
  });

  it('maps names to columns, and ignores unknown ones on request', async () => {
    const table = await createTable();
    const file = 'Equipment,Text,Class,Class\n1,Pump,A,B\n';
    const mapped = { columns: 'Equipment:equnr,Text:name' };
    expect((await csv(table, file, mapped)).body.error).toBe('invalid_header');
    expect((await csv(table, file, { ...mapped, unknownColumns: 'ignore' })).status).toBe(200);
    const items = [{ Equipment: '2', Text: 'Fan', class: 'B' }];
    const answer = await sendFile(tables, table, lines(items), { query: { ...mapped, unknownColumns: 'ignore' } });
    expect(answer.status).toBe(200);
    expect((await rows(table)).map(({ equnr, name }) => [equnr, name])).toEqual([
      ['1', 'Pump'],
      ['2', 'Fan'],
    ]);
    expect((await csv(table, file, { columns: 'Equipment:unknown' })).status).toBe(400);
  });

  it('maps names in any letter case, and rejects those that the header does not have', async () => {
    const table = await createTable([{ equnr: '1', name: 'Pump' }]);
    const query = { columns: 'TEXT:name', unknownColumns: 'ignore' };
    expect((await csv(table, 'equnr,text\n1,Fan\n', query)).body.data.totals.updated).toBe(1);
    const update = await sendFile(tables, table, lines([{ equnr: '2', text: 'Motor' }]), { query });
    expect(update.status).toBe(200);
    expect((await rows(table)).map(({ name }) => name)).toEqual(['Fan', 'Motor']);
    const absent = await csv(table, 'equnr,txt\n1,Valve\n', query);
    expect([absent.status, absent.body.error]).toEqual([422, 'invalid_header']);
    expect(errorsOf(absent)).toMatchObject([
      {
        line: 1,
        column: 'TEXT',
        code: 'unknown_column',
        message: 'The header has no name "TEXT", which the parameter "columns" contains. Correct it.',
      },
    ]);
    expect(field(await csv(table, 'equnr,text\n', { columns: 'Text:name,TEXT:parent' }))).toEqual([400, 'columns']);
  });

  it('reads tabs and other charsets', async () => {
    const table = await createTable();
    const file = Buffer.from('equnr\tname\n1\tK\xfchlt\xfcrme 5 \x80\n', 'latin1');
    expect((await csv(table, file)).status).toBe(400);
    expect((await csv(table, file, { delimiter: 'tab', charset: 'windows-1252' })).status).toBe(200);
    const wide = Buffer.from('\uFEFFequnr,name\r\n2,Привет\r\n', 'utf16le');
    expect((await csv(table, wide, { charset: 'utf-16le' })).status).toBe(200);
    expect((await rows(table)).map(({ name }) => name)).toEqual(['Kühltürme 5 €', 'Привет']);
    const broken = Buffer.from([0x65, 0x71, 0x75, 0x6e, 0x72, 0x0a, 0x31, 0xff, 0x0a]);
    expect((await csv(table, broken, { charset: 'shift_jis' })).body.error).toBe('malformed_import');
  });

  it('rejects a charset of the Content-Type that the parameter contradicts, also of a part', async () => {
    const table = await createTable();
    const file = 'equnr,name\n1,Kälte\n';
    const send = (type: string, charset: string) => csv(table, file, { charset }, { type });
    const rejected = await send('text/csv; charset=utf-8', 'windows-1252');
    expect([rejected.status, rejected.body.message]).toEqual([
      415,
      'The charset of text/csv is "utf-8", but the parameter "charset" is "windows-1252". Send only one of them.',
    ]);
    expect((await send('text/csv; charset=klingon', 'utf-16le')).status).toBe(415);
    expect((await send('text/csv; charset=utf-16le', 'utf-8')).status).toBe(415);
    const form = new FormData();
    form.append(`assets/${table}`, new Blob([file], { type: 'text/csv; charset=utf-8' }), 'rows.csv');
    expect((await tables.api.post(`${tables.path}/import?charset=windows-1252`, form)).status).toBe(415);
    expect(await rows(table)).toEqual([]);
    expect((await send('text/csv; charset="UTF8"', 'us-ascii')).status).toBe(200);
    expect((await rows(table)).map(({ name }) => name)).toEqual(['Kälte']);
    const cyrillic = Buffer.from('equnr,name\n1,\xcf\n', 'latin1');
    const sent = { type: 'text/csv; charset=cp1251' };
    expect((await csv(table, cyrillic, { charset: 'windows-1251' }, sent)).status).toBe(200);
    expect((await rows(table)).map(({ name }) => name)).toEqual(['П']);
  });

  it('rejects invalid options before it reads the file', async () => {
    const table = await createTable();
    const file = 'equnr\n1\n';
    expect(field(await csv(table, file, { charset: 'klingon' }))).toEqual([400, 'charset']);
    expect(field(await csv(table, file, { decimal: ',', thousands: ',' }))).toEqual([400, 'thousands']);
    expect(field(await csv(table, file, { dateFormat: 'DD.MM' }))).toEqual([400, 'dateFormat']);
    expect(field(await csv(table, file, { columns: 'a' }))).toEqual([400, 'columns']);
    expect((await csv(table, file, { delimiter: ';;' })).status).toBe(400);
    expect(await rows(table)).toEqual([]);
  });
});

describe('rows with the same key', () => {
  const FILE = 'equnr,name\n1,a\n2,b\n1,c\n3,d\n1,e\n';

  it('are rejected by default, and each names the others', async () => {
    const table = await createTable();
    const answer = await csv(table, FILE, { onError: 'continue' });
    expect(totals(answer)).toEqual({ received: 5, created: 2, updated: 0, unchanged: 0, failed: 3 });
    expect(errorsOf(answer).map(({ line, message }: any) => [line, message])).toEqual([
      [2, 'The rows in the lines 4 and 6 have the same key.'],
      [4, 'The rows in the lines 2 and 6 have the same key.'],
      [6, 'The rows in the lines 2 and 4 have the same key.'],
    ]);
  });

  it.each([
    ['first', 'a'],
    ['last', 'e'],
  ])('with onDuplicate=%s one of them is stored', async (onDuplicate, name) => {
    const table = await createTable();
    const answer = await csv(table, FILE, { onDuplicate });
    expect(answer.status).toBe(200);
    expect(totals(answer)).toEqual({ received: 5, created: 3, updated: 0, unchanged: 0, failed: 0, skipped: 2 });
    expect((await rows(table)).map((row) => row['name'])).toEqual([name, 'b', 'd']);
    expect(totals(await csv(table, FILE, { onDuplicate }))).toMatchObject({ unchanged: 3, skipped: 2 });
  });

  it.each([
    ['first', { created: 1, failed: 1 }],
    ['last', { created: 0, skipped: 1, failed: 1 }],
  ])('with onDuplicate=%s an invalid one is an error, whether it counts or not', async (onDuplicate, counts) => {
    const table = await createTable();
    const file = 'equnr,weight\n1,5\n1,heavy\n';
    expect((await csv(table, file, { onDuplicate })).status).toBe(422);
    expect(totals(await csv(table, file, { onDuplicate, onError: 'continue' }))).toMatchObject(counts);
  });
});

describe('the errors of an import', () => {
  const download = (id: string, accept: string) =>
    tables.api.get(`${tables.path}/imports/${id}/errors`, { Accept: accept });

  it('are summarized, and all of them can be downloaded with the rows as they were sent', async () => {
    const table = await createTable([{ equnr: 'A', parent: null }]);
    const importId = randomUUID();
    const wrong = manyRows(1_500, (at) => `${keyAt(at)},"1,5"`);
    const file = ['equnr,weight', ...wrong, '=1,', '=1,2', 'cells', ''].join('\n');
    const answer = await csv(table, file, { importId });
    expect(answer).toMatchObject({ status: 422, body: { error: 'invalid_rows', details: { total: 1_503 } } });
    expect(answer.body.details.summary).toEqual([
      { code: 'type_mismatch', column: 'weight', count: 1_500 },
      { code: 'duplicate_in_batch', column: 'equnr', count: 2 },
      { code: 'cell_count', count: 1 },
    ]);
    expect(errorsOf(answer)).toHaveLength(1_000);
    expect(
      errorsOf(answer)
        .slice(-3)
        .map(({ line }: any) => line),
    ).toEqual([1_502, 1_503, 1_504]);
    const ndjson = (await download(importId, 'application/x-ndjson')).body as string;
    const all = ndjson
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(all.map(({ line }) => line)).toEqual(manyRows(1_503, (at) => at + 2));
    expect(all[0]).toEqual({
      type: 'asset',
      table,
      index: 0,
      line: 2,
      key: keyAt(0),
      column: 'weight',
      code: 'type_mismatch',
      message: expect.any(String),
      sent: `${keyAt(0)},"1,5"`,
    });
    expect(all.at(-2)).toMatchObject({ line: 1_503, key: '=1', code: 'duplicate_in_batch', sent: '=1,2' });
    const downloaded = await download(importId, 'text/csv');
    expect(downloaded.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const records = (downloaded.body as string).split('\r\n');
    expect(records[0]).toBe('type,table,index,line,key,column,code,message,sent');
    expect(records[1]).toMatch(/^asset,Import \w+,0,2,K000000,weight,type_mismatch,".*","K000000,""1,5"""$/);
    expect(records[1_501]).toContain(",'=1,equnr,duplicate_in_batch,");
  });

  it('are those of all rows, also if rows far apart are invalid', async () => {
    const table = await createTable();
    const importId = randomUUID();
    const content = manyRows(20_000, (at) => `${keyAt(at)},Pump with a description,${at}`);
    for (const at of [5, 10_000, 19_999]) content[at] = `${keyAt(at)},Pump,wrong`;
    content[15_000] = `${keyAt(7_000)},Pump,1`;
    const answer = await csv(table, ['equnr,name,weight', ...content, ''].join('\n'), {
      importId,
      onError: 'continue',
    });
    expect(totals(answer)).toMatchObject({ received: 20_000, created: 19_995, failed: 5 });
    const all = ((await download(importId, 'application/x-ndjson')).body as string).trim().split('\n');
    expect(all.map((line) => JSON.parse(line)).map(({ index, code, sent }) => [index, code, sent])).toEqual([
      [5, 'type_mismatch', content[5]],
      [7_000, 'duplicate_in_batch', content[7_000]],
      [10_000, 'type_mismatch', content[10_000]],
      [15_000, 'duplicate_in_batch', content[15_000]],
      [19_999, 'type_mismatch', content[19_999]],
    ]);
  });

  it('of NDJSON contain the line, and a repaired import of the same ID replaces them', async () => {
    const table = await createTable();
    const importId = randomUUID();
    const sent = ['{"equnr":"1", "weight":"x"}', '', '{"equnr":"2"}', '[]'].join('\n');
    const headers = { 'Idempotency-Key': randomUUID() };
    expect((await sendFile(tables, table, sent, { query: { importId }, headers })).status).toBe(422);
    const all = ((await download(importId, 'application/x-ndjson')).body as string).trim().split('\n');
    expect(all.map((line) => JSON.parse(line)).map(({ line, sent: row }) => [line, row])).toEqual([
      [1, '{"equnr":"1", "weight":"x"}'],
      [4, '[]'],
    ]);
    expect((await sendFile(tables, table, lines([{ equnr: '1' }]), { query: { importId }, headers })).status).toBe(200);
    expect((await download(importId, 'application/x-ndjson')).body).toBe('');
  });

  it('are not available to other workspaces', async () => {
    const other = Tables.of(service, await service.provision());
    expect((await other.api.get(`${other.path}/imports/${randomUUID()}/errors`)).status).toBe(404);
    expect((await download(randomUUID(), 'application/json')).status).toBe(404);
  });
});

describe('the record of an import', () => {
  it('contains the response, the options, and the name and hash of the file', async () => {
    const table = await createTable();
    const importId = randomUUID();
    const file = 'equnr,weight\n1,1\n2,x\n';
    const query = { importId, onError: 'continue', nullValues: '-' };
    const headers = { 'Content-Disposition': `attachment; filename="x.csv"; filename*=UTF-8''Ger%C3%A4te.csv` };
    const answer = await csv(table, file, query, { headers });
    expect(answer.status).toBe(207);
    const record = await importRecord(tables, importId);
    expect(record).toMatchObject({
      table: { name: table, type: 'asset' },
      options: { onError: 'continue', nullValues: '-', onDuplicate: 'error' },
      fileName: 'Geräte.csv',
      sha256: createHash('sha256').update(file).digest('hex'),
      status: 'succeeded',
      error: null,
    });
    // As text: with the fields in the same order.
    expect(JSON.stringify(record.report)).toBe(JSON.stringify(answer.body.data));
    const listed = await tables.api.get(`${tables.path}/imports?limit=1`);
    expect(listed.body.data.items[0]).toMatchObject({ id: importId, fileName: 'Geräte.csv' });
    expect(listed.body.data.items[0]).not.toHaveProperty('report');
  });

  it('contains the details of a failure', async () => {
    const table = await createTable();
    const importId = randomUUID();
    const answer = await csv(table, 'equnr,weight\n1,x\n', { importId });
    const { error, report } = await importRecord(tables, importId);
    expect(report).toBeNull();
    expect(error).toEqual({ code: 'invalid_rows', message: answer.body.message, details: answer.body.details });
    const [listed] = (await tables.api.get(`${tables.path}/imports?limit=1`)).body.data.items;
    expect(listed.error).toEqual({ code: 'invalid_rows', message: answer.body.message });
  });
});
