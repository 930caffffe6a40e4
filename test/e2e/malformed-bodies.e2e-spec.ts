import { gzipSync } from 'node:zlib';
import { Api, type ApiResponse } from '../support/api.js';
import { CommandLine } from '../support/command-line.js';
import type { Credentials } from '../support/credentials.js';
import { form, sendForm } from '../support/files.js';
import { sendFile } from '../support/imports.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { Tables, text, unique } from '../support/tables.js';

const VALUE = 'expected a value such as "text", 1, true, null, [] or {}';
const ESCAPE = 'expected an escape such as \\n, \\\\ or \\u00e4';
const BASE64 =
  'files[0].data must be base64 (RFC 4648): A-Z, a-z, 0-9, + and /, or - and _, with or without line breaks and padding; a blank within a line may be a lost +.';

/** Words of V8, zlib, PostgreSQL and libraries. */
const FOREIGN =
  /Unexpected (token|end|string|number|non-whitespace)|in JSON at position|Bad (control|escaped)|Expected (property|double|',')|incorrect header|unexpected end of file|not balanced|operand invalid|Quote|YAML(Parse)?Error|hucre|ZIP|buffer bounds/;

let service: SharedService;
let me: Credentials;
let api: Api;
let tables: Tables;
let projectId: string;
const table = unique('Malformed');

beforeAll(async () => {
  ({ service } = await shareService());
  me = await service.provision();
  api = new Api(service.baseUrl).withKey(me.apiKey);
  tables = Tables.of(service, me);
  await tables.bulk('assets', { name: table, columns: [text('Code')], items: [{ code: 'A' }] });
  projectId = (await api.post('/v1/api/projects', { name: 'Boiler house' })).body.data.id as string;
}, 60_000);

/** The message, and those of its errors. */
function messagesOf({ body }: ApiResponse): string[] {
  const { message, details } = (body.message ? body : body.error) as {
    message: string;
    details?: { errors?: { message: string }[] };
  };
  return [message, ...(details?.errors ?? []).map((error) => error.message)];
}

const sendNote = (data: string) =>
  api.post('/v1/api/notes', { projectId, title: 'Leak', files: [{ filename: 'a.png', data }] });

function sendPart(headers: string, content: string, type = 'multipart/form-data; boundary=x'): Promise<ApiResponse> {
  const body = `--x\r\n${headers}\r\n\r\n${content}\r\n--x--\r\n`;
  return sendForm(api, '/v1/api/notes', body, { 'Content-Type': type });
}

/** Slices of the parser are smaller. */
const MANY_ROWS = `${'{"code":"0123456789"},'.repeat(20_000)}\n`;

describe('a malformed body is described in words of the service', () => {
  it.each<[string, string]>([
    ['{"name": "x"', 'at line 1, column 13: found the end at name, expected "," or "}"'],
    ['{"name": "x",}', 'at line 1, column 14: found "}", expected a key in double quotes'],
    ["{'name': 'x'}", 'at line 1, column 2: found "\'", expected a key in double quotes, or "}"'],
    ['{\r\n  "name": undefined\r\n}', `at line 2, column 11: found "undefined" at name, ${VALUE}`],
    [
      '{"name": "a\nb"}',
      'at line 1, column 12: found U+000A at name, expected an escape such as \\n instead of a control character',
    ],
    ['{"name": "C:\\Users"}', `at line 1, column 13: found "\\U" at name, ${ESCAPE}`],
    ['{"name": “x”}', `at line 1, column 10: found "“" at name, ${VALUE}`],
    ['name=x', `at line 1, column 1: found "name", ${VALUE}`],
    ['{"a": [{"b": 1]}', 'at line 1, column 15: found "]" at a[0].b, expected "," or "}"'],
  ])('JSON: %s', async (body, problem) => {
    const response = await api.post('/v1/api/projects', body);
    expect(response).toMatchObject({ status: 400, body: { error: 'malformed_json' } });
    expect(response.body.message).toBe(`The JSON is malformed ${problem}.`);
  });

  it.each<[string, string, string]>([
    [
      'the last row',
      `{"assets":[{"name":"T","items":[${MANY_ROWS}{"code":01}]}]}`,
      `2, column 9: found "01" at assets[0].items[20000].code, ${VALUE}`,
    ],
    [
      'a comma after the last row',
      `{"assets":[{"name":"T","items":[${MANY_ROWS}]}]}`,
      `2, column 1: found "]" at assets[0].items[20000], ${VALUE}`,
    ],
    [
      'the end',
      `{"assets":[{"name":"T","items":[${MANY_ROWS}{}]}]`,
      '2, column 6: found the end at assets, expected "," or "}"',
    ],
  ])('many rows: %s', async (_, body, problem) => {
    const response = await tables.send('assets', body);
    expect([response.status, response.body.message]).toEqual([400, `The JSON is malformed at line ${problem}.`]);
  });

  it('UTF-16: by line and column', async () => {
    const body = Buffer.from('\ufeff{"name":\n 1 2}', 'utf16le');
    const response = await api.post('/v1/api/projects', body, { 'Content-Type': 'application/json; charset=utf-16le' });
    expect(response.body.message).toBe(
      'The JSON is malformed at line 2, column 4: found "2" at name, expected "," or "}".',
    );
  });

  it.each<[string, string]>([
    ['iVBO!', 'Found "!" at character 5.'],
    ['iVBO\nRw 0K', 'Found "0" at character 9.'],
    ['iVB=Rw0K', 'Found "R" at character 5.'],
    ['iVBO😀', 'Found "😀" at character 5.'],
    ['iVBOR', 'The end after 5 characters does not complete a byte and its padding.'],
    ['data:image/png;base64,iVBO?', 'Found "?" at character 27.'],
    [`${'iVBO'.repeat(100_000)}*`, 'Found "*" at character 400001.'],
  ])('base64, case %#', async (data, problem) => {
    const response = await sendNote(data);
    expect([response.status, ...messagesOf(response)]).toEqual([400, ...Array<string>(2).fill(`${BASE64} ${problem}`)]);
  });

  it.each<[string, () => Promise<ApiResponse>, RegExp]>([
    [
      'a field of a form with JSON',
      () =>
        sendPart(
          'Content-Disposition: form-data; name="title"; filename="a"\r\nContent-Type: application/json',
          '{"a" 1}',
        ),
      /^The field "title" cannot be read as JSON\. The JSON is malformed at line 1, column 6: found "1" at a, expected ":"\.$/,
    ],
    [
      'custom fields in a form',
      () => sendForm(api, '/v1/api/notes', form({ projectId, title: 'x', customFields: '{shift: "night"}' })),
      /customFields must be an object .* The JSON is malformed at line 1, column 2: found "shift", expected a key/,
    ],
    [
      'the headers of a part',
      () => sendPart('Content-Disposition: form-data; name="title"\r\nnonsense', 'x'),
      /^A part has malformed headers\.$/,
    ],
    [
      'a form without a boundary',
      () => sendPart('', '', 'multipart/form-data'),
      /^The Content-Type has no boundary\.$/,
    ],
    [
      'a filter in a URL',
      () => tables.api.get(`${tables.path}/assets/${table}/items?filter=${encodeURIComponent('{"code":{"eq":A}}')}`),
      /^filter must be a JSON object .* The JSON is malformed at line 1, column 15: found "A" at code\.eq, expected a value/,
    ],
    [
      'a line of an import',
      () => sendFile(tables, table, '{"code":"B"}\n{"code":"C",}\n'),
      /^Line 2 is not valid JSON at column 13: found "\}", expected a key in double quotes\. Nothing was stored\.$/,
    ],
    [
      'a gzip stream that was cut',
      () =>
        sendFile(tables, table, gzipSync('{"code":"B"}\n').subarray(0, 20), {
          headers: { 'Content-Encoding': 'gzip' },
        }),
      /^The gzip stream is truncated or corrupt; nothing was stored\. Compress the file again\.$/,
    ],
    [
      'a file that is not gzip',
      () => sendFile(tables, table, '{"code":"B"}\n', { headers: { 'Content-Encoding': 'gzip' } }),
      /^The gzip stream is truncated or corrupt; nothing was stored\. Compress the file again\.$/,
    ],
    [
      'a quote of CSV that is not closed',
      () => sendFile(tables, table, 'code\n"B\n', { type: 'text/csv' }),
      /^Line 2 .*quote/,
    ],
    [
      'an expression of OData',
      () => api.get(`/odata/v4/${me.workspaceId}/${table}?$filter=${encodeURIComponent("code eq 'A")}`),
      /^\$filter: .*at position 8: 'A/,
    ],
    [
      'a pattern of a column',
      () =>
        tables.bulk('assets', {
          name: unique('Pattern'),
          columns: [text('Code'), { ...text('Note'), options: { pattern: '(a' } }],
          items: [],
        }),
      /^The option "pattern" is invalid: a parenthesis has no counterpart\.$/,
    ],
    ['a path', () => api.get('/v1/api/projects/%ff'), /^"%ff" in the path is not percent-encoded UTF-8\.$/],
  ])('%s', async (_, send, message) => {
    const response = await send();
    const messages = messagesOf(response);
    expect([response.status, messages.filter((each) => message.test(each)), messages.join()]).toEqual([
      expect.any(Number),
      expect.arrayContaining([expect.any(String)]),
      expect.not.stringMatching(FOREIGN),
    ]);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
  });
});

describe('a malformed file is described in words of the command line', () => {
  it.each<[string, string, string | Buffer, string[], string]>([
    [
      'NDJSON',
      'a.ndjson',
      '{"code":"B"}\n{"code":"C" "x"}\n',
      [],
      'Line 2 is not valid JSON at column 13: found """ at code, expected "," or "}". Write one JSON object per line.',
    ],
    ['a duplicate key', 'b.ndjson', '{"code":"B","code":"C"}\n', [], 'Line 1 has the key "code" twice.'],
    [
      'a workbook',
      'c.xlsx',
      Buffer.concat([Buffer.from('PK\x03\x04xl/workbook.xmlPK\x05\x06\0\0\0\0'), Buffer.alloc(14, 15)]),
      [],
      'The workbook cannot be read: its archive is damaged. Save it again. Nothing was stored.',
    ],
    [
      'a mapping in JSON',
      'd.json',
      '{"columns": {"a": [,}}',
      ['--mapping'],
      'd.json is not valid JSON at line 1, column 20: found "," at columns.a[0]',
    ],
    [
      'a mapping in YAML',
      'e.yaml',
      'columns:\n  a: b: c\n',
      ['--mapping'],
      'e.yaml is not valid YAML at line 2, column 6: "a: b: c". Check indentation, quotes and colons.',
    ],
  ])('%s', async (_, name, content, flags, message) => {
    const command = new CommandLine(service, me);
    command.write(name, content);
    const rows = command.write('rows.csv', 'code\nB\n');
    const files = flags.length > 0 ? [rows, ...flags, name] : [name];
    const { code, stderr } = await command.run(['import', ...files, '--table', table]);
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining(message)]);
    expect(code).not.toBe(0);
    expect(stderr).not.toMatch(FOREIGN);
  });

  it('a filter', async () => {
    const { stderr } = await new CommandLine(service, me).run(['export', table, '--filter', '{"code": A}']);
    expect(stderr).toContain(
      `"{"code": A}" is not valid JSON at column 10: found "A" at code, ${VALUE}. Write for example`,
    );
  });
});
