import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Api } from '../support/api.js';
import { file, form } from '../support/files.js';
import { loadDocument } from '../support/openapi.js';
import { ROOT, TestDatabase, TestService } from '../support/service.js';
import { Tables, text, unique } from '../support/tables.js';

const FOLDER = join(ROOT, 'test/fixtures/field-cases/api');
const bytesOf = (name: string) => readFileSync(join(FOLDER, name));

/** The lines of a table with the columns `sent` and `wanted`. */
const linesOf = (name: string) =>
  bytesOf(name)
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t') as [sent: string, wanted: string]);

const ORIGIN = 'https://app.test';

/** Requests that public bug reports of comparable programs describe, and the right outcome of each. */
describe('field cases of the API', () => {
  let database: TestDatabase;
  let service: TestService;
  let api: Api;
  let tables: Tables;
  let workspaceId: string;
  let notes: string;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database, {
      CORS_ORIGINS: ORIGIN,
      PUBLIC_URL: 'https://host.test/atrium',
      TRUST_PROXY: '127.0.0.1/32',
    });
    const me = await service.provision();
    ({ workspaceId } = me);
    notes = `/v2/api/workspaces/${workspaceId}/notes`;
    api = new Api(service.baseUrl).withKey(me.apiKey);
    tables = Tables.of(service, me);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const sendForm = async (body: FormData | Buffer, headers: Record<string, string> = {}) => {
    const response = await fetch(service.baseUrl + notes, {
      method: 'POST',
      body: Buffer.isBuffer(body) ? new Uint8Array(body) : body,
      headers: { ...api.headers, ...headers },
    });
    return { status: response.status, body: (await response.json()) as any };
  };

  it.each([
    '02-data-uri-charset-held.json',
    '02-data-uri-chrome-codecs.json',
    '02-data-uri-firefox-codecs.json',
    '02-data-uri-no-type.json',
    '05-base64-line-breaks.json',
    '05-base64-trailing-newline.json',
  ])('stores the file of %s as that of a form', async (name) => {
    const { files, title } = JSON.parse(bytesOf(name).toString()) as {
      files: { filename: string; data: string }[];
      title: string;
    };
    const json = await api.post(notes, bytesOf(name));
    const [{ filename, data }] = files as [(typeof files)[0]];
    const bytes = Buffer.from(data.slice(data.lastIndexOf(',') + 1), 'base64');
    const sent = await sendForm(form({ title }, [file(filename, bytes)]));
    expect(json).toMatchObject({ status: 201 });
    expect(sent).toMatchObject({ status: 201 });
    const stored = ({ filename: each, contentType, size }: Record<string, unknown>) => ({ each, contentType, size });
    expect(json.body.data.files.map(stored)).toEqual(sent.body.data.files.map(stored));
    expect(json.body.data.files[0].size).toBe(bytes.length);
  });

  it('stores 02-av.webm of a form', async () => {
    const { status, body } = await sendForm(form({ title: 'WebM' }, [file('rec.webm', bytesOf('02-av.webm'))]));
    expect([status, body.data.files[0].contentType]).toEqual([201, 'video/webm']);
  });

  it.each([...linesOf('04-dates.tsv'), ...linesOf('33-dates.tsv')])(
    '04-dates, 33-dates: reads %s as %s in notes, filters, tours and columns',
    async (sent, wanted) => {
      const project = (await api.post('/v1/api/projects', { name: unique('Dates') })).body.data.id as string;
      const fields: [string, unknown, string][] = [
        [notes, { title: 'x', dueDate: sent }, 'dueDate'],
        [notes, { title: 'x', scheduledDate: sent }, 'scheduledDate'],
        ['/v1/api/tours', { title: unique('Tour'), projectId: project, capturedAt: sent }, 'capturedAt'],
      ];
      const filter = await api.get(`${notes}?${new URLSearchParams({ updatedFrom: sent }).toString()}`);
      const name = unique('Dates');
      const columns = [text('Code'), text('Installed', { type: 'date' })];
      const row = await tables.send('lists', { lists: [{ name, columns, items: [{ code: 'A', installed: sent }] }] });
      for (const [path, body, field] of fields) {
        const answer = await api.post(path, body);
        if (wanted === '400') {
          expect(answer).toMatchObject({ status: 400, body: { details: { errors: [{ field }] } } });
          expect(answer.body.details.errors[0].message).toContain('such as 2026-12-01T08:00:00Z');
        } else expect([answer.status, answer.body.data[field]]).toEqual([201, wanted]);
      }
      expect(filter.status).toBe(wanted === '400' ? 400 : 200);
      // A column also accepts a date without time.
      if (wanted !== '400') expect((await tables.rows('lists', name))[0]!.installed).toBe(wanted);
      else expect(row.status).toBe(sent === '2026-12-01' ? 201 : 422);
    },
  );

  it.each(['25-all-null.json', '25-files-null.json', '34-custom-fields-empty-list.json'])(
    '%s: fields without a value are absent',
    async (name) => {
      const { status, body } = await api.post(notes, bytesOf(name));
      expect([status, body.data.files, body.data.customFields]).toEqual([201, [], {}]);
    },
  );

  it.each(['25-legacy-null-arrays.json', '26-legacy-one-record.json', '26-legacy-empty-element.json'])(
    '%s: reads what converters from XML write for one record and for none',
    async (name) => {
      const { status, body } = await api.post('/v1/api/notes/erp/webhook', bytesOf(name));
      expect([status < 300, JSON.stringify(body.data)]).toEqual([true, expect.stringContaining('"received":1')]);
      expect(await tables.rows('assets', 'Assets')).toMatchObject([{ equnr: '10004711', name: 'Feed pump' }]);
    },
  );

  it('29-weak-etag: If-Match takes the tag that a compressing proxy made weak', async () => {
    const created = await api.post(notes, { title: 'tagged' });
    const path = `${notes}/${created.body.data.id}`;
    const etag = (await api.get(path)).headers.get('etag')!;
    expect((await api.patch(path, { title: 'changed' }, { 'If-Match': `W/${etag}` })).status).toBe(200);
    expect((await api.patch(path, { title: 'again' }, { 'If-Match': `W/${etag}` })).status).toBe(412);
  });

  it.each([
    ['Prüfung.png', 'Prufung.png', 'Pr%C3%BCfung.png'],
    ['Größe 图.png', 'Gro_e _.png', 'Gr%C3%B6%C3%9Fe%20%E5%9B%BE.png'],
  ])('36-download-name: %s also has a name in ASCII', async (name, ascii, encoded) => {
    const { body } = await sendForm(form({ title: 'Name' }, [file(name, bytesOf('20-cmyk.jpg'))]));
    const { url } = body.data.files[0] as { url: string };
    const { headers } = await api.get(url.slice('https://host.test/atrium'.length));
    const [saved, extended] = [ascii, encoded].map((each) => each.replace('.png', '.png.jpg'));
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${saved}"; filename*=UTF-8''${extended}`);
  });

  it('42-address-with-port: the audit log has the address without the port that a proxy appended', async () => {
    const { apiKey, workspaceId: mine } = await service.provision();
    const caller = new Api(service.baseUrl).withKey(apiKey).with({ 'X-Forwarded-For': '203.0.113.5:51123' });
    await caller.get('/v1/api/workspaces');
    const { body } = await caller.get(`/v2/api/workspaces/${mine}/audit?kind=api_key_used`);
    expect(body.data.items.map((entry: { address: string }) => entry.address)).toEqual(['203.0.113.5']);
  });

  it.each(['True', 'TRUE', '1', 'true'])('32-booleans: reads %s of a query as true', async (value) => {
    const name = unique('Flags');
    const sent = { assets: [{ name, columns: [text('Code'), text('Site')], items: [{ code: 'A' }] }] };
    const dry = await api.post(`/v2/api/workspaces/${workspaceId}/cw/assets/bulk?dryRun=${value}`, sent);
    expect([dry.status, (await api.get(`/v2/api/workspaces/${workspaceId}/cw/assets/${name}`)).status]).toEqual([
      200, 404,
    ]);
    await tables.send('assets', sent);
    const items = `/v2/api/workspaces/${workspaceId}/cw/assets/${name}/items`;
    for (const path of [`${items}?filter[site][null]=${value}`, `/v1/api/projects?archived=${value}`])
      expect([path, (await api.get(path)).status]).toEqual([path, 200]);
    expect((await api.get(`${items}?filter[site][null]=${value}`)).body.data.items).toHaveLength(1);
    expect((await api.get(`${items}?filter[site][null]=0`)).body.data.items).toHaveLength(0);
    expect((await api.get(`${items}?filter[site][null]=yes`)).status).toBe(400);
  });

  it('37-empty-cursor: an empty cursor or list of values is absent', async () => {
    await api.post(notes, { title: 'listed' });
    const { body } = await api.get(notes);
    for (const query of ['cursor=', 'status=', 'cursor=&status=&priority='])
      expect((await api.get(`${notes}?${query}`)).body.data).toEqual(body.data);
    expect((await api.get('/v1/api/projects?status=&cursor=')).status).toBe(200);
    expect((await api.get(`/v2/api/workspaces/${workspaceId}/events?after=&types=`)).status).toBe(200);
  });

  it('30-plus-in-query: names the code of a plus sign that a URL turned into a space', async () => {
    const name = unique('Plus');
    const columns = [text('Code'), text('Since', { type: 'date' })];
    await tables.send('assets', { assets: [{ name, columns, items: [] }] });
    const items = `/v2/api/workspaces/${workspaceId}/cw/assets/${name}/items`;
    for (const parameter of ['from', 'dueFrom', 'asOf', 'filter[since][gte]']) {
      const path = { from: `/v2/api/workspaces/${workspaceId}/audit`, dueFrom: notes }[parameter] ?? items;
      const { status, body } = await api.get(`${path}?${parameter}=2026-11-01T00:00:00+01:00`);
      expect([parameter, status, JSON.stringify(body)]).toEqual([
        parameter,
        400,
        expect.stringContaining('In a URL, send %2B for +.'),
      ]);
    }
  });

  it.each(['utf8', 'UTF8', 'us-ascii', '"utf-8"'])(
    '06-charset-utf8: accepts JSON with the charset %s',
    async (charset) => {
      const headers = { 'Content-Type': `application/json; charset=${charset}` };
      const { status, body } = await api.post(notes, { title: 'Größe' }, headers);
      expect([status, body.data.title]).toEqual([201, 'Größe']);
    },
  );

  it('07-cors-exposed-headers: exposes the headers of downloads, and all that the document declares', async () => {
    const { body } = await sendForm(form({ title: 'WebM' }, [file('rec.webm', bytesOf('02-av.webm'))]));
    const { url } = body.data.files[0] as { url: string };
    const path = url.slice('https://host.test/atrium'.length);
    const download = await api.send(path, { headers: { Origin: ORIGIN, Range: 'bytes=0-9' } });
    expect(download.status).toBe(206);
    const exposed = download.headers.get('access-control-expose-headers')!.toLowerCase().split(',');
    const needed = ['Content-Disposition', 'Content-Range', 'Accept-Ranges', 'ETag', 'Location'];
    expect(exposed).toEqual(
      expect.arrayContaining([...needed, ...declaredHeaders()].map((name) => name.toLowerCase())),
    );
    const preflight = await api.send(path, {
      method: 'OPTIONS',
      headers: { Origin: ORIGIN, 'Access-Control-Request-Method': 'GET' },
    });
    expect(Number(preflight.headers.get('access-control-max-age'))).toBeGreaterThan(600);
    const head = await api.send(path, { method: 'HEAD', headers: { Range: 'bytes=0-9' } });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytesOf('02-av.webm').length)]);
  });

  it('12-rfc8414-issuer-with-path: serves the metadata of an issuer with a path', async () => {
    const anonymous = new Api(service.baseUrl);
    const wellKnown = '/.well-known/oauth-authorization-server';
    const [root, ofPath, other] = await Promise.all(
      ['', '/atrium', '/other'].map((path) => anonymous.get(wellKnown + path)),
    );
    expect([root!.status, ofPath!.status, other!.status]).toEqual([200, 200, 404]);
    expect(ofPath!.body).toEqual(root!.body);
    expect(ofPath!.body.issuer).toBe('https://host.test/atrium');
  });

  it.each(linesOf('14-webhook-urls.tsv'))('14-webhook-urls: %s is %s', async (url, wanted) => {
    const path = `/v2/api/workspaces/${workspaceId}/subscriptions`;
    const { status, body } = await api.post(path, { url, events: ['note.*'] });
    expect(status).toBe(wanted.startsWith('rejected') ? 422 : 201);
    if (status === 201) expect(body.data.url).toBe(url);
  });

  it('15-dotnet-filename-star: takes the name from filename*', async () => {
    const type = { 'Content-Type': 'multipart/form-data; boundary="xYzB"' };
    const { status, body } = await sendForm(bytesOf('15-dotnet-filename-star.multipart'), type);
    expect([status, body.data.files[0].filename]).toEqual([201, '新建文本文档.png']);
  });

  /** Forms whose senders are described in the issues of parsers, and what must be stored. */
  const FORMS: [name: string, stored: Record<string, unknown>][] = [
    // mscdex/busboy #380, expressjs/multer #1194
    ['21-charset-windows-1251', { title: 'Насос' }],
    // rwf2/multer #25, kisli/vmime #38
    ['23-padded-delimiter', { title: 'Leak at the pump', description: 'The seal is worn out', files: ['leak.png'] }],
    // golang/appengine #128, pallets/werkzeug #2120, node-formidable #127, jstedfast/MailKit #490
    ['24-base64', { title: 'Prüfung – Öl läuft' }],
    ['24-quoted-printable', { title: 'Prüfung – Öl läuft' }],
    ['24-us-ascii-label', { title: 'Prüfung' }],
    ['24-windows-1252', { title: 'Prüfung – 5 €' }],
    ['24-file-base64', { title: 't', files: ['leak.png'] }],
    // openapi-generator #7677 #11613, mscdex/busboy #201
    ['27-json-part-blob', { title: 't', customFields: { shift: 'night' } }],
    ['46-files-empty-text', { title: 't', files: [] }],
  ];

  it.each(FORMS)('%s: stores what the form declares', async (name, stored) => {
    const bytes = bytesOf(`${name}.multipart`);
    const boundary = /^--(\S+)/.exec(bytes.toString('latin1'))![1]!;
    const type = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
    const { status, body } = await sendForm(bytes, type);
    expect(status).toBe(201);
    const files = body.data.files as { filename: string; contentType: string }[];
    expect({ ...body.data, files: files.map(({ filename }) => filename) }).toMatchObject({ files: [], ...stored });
    for (const { contentType } of files) expect(contentType).toBe('image/png');
  });

  it.each<[string, string, string, RegExp]>([
    ['uuencode', 'Content-Transfer-Encoding: x-uuencode', 'x', /"x-uuencode" of the form field "title"/],
    ['a charset of no standard', 'Content-Type: text/plain; charset=klingon', 'x', /"klingon" of the form field/],
    ['broken quoted-printable', 'Content-Transfer-Encoding: quoted-printable', 'a=zz', /not valid quoted-printable/],
    ['broken base64', 'Content-Transfer-Encoding: base64', 'QUJ D', /base64/],
    ['bytes of another charset', 'Content-Type: text/plain; charset=utf-8', '\xfc', /not valid UTF-8/],
  ])('24: rejects a field with %s, naming it', async (_, header, content, message) => {
    const text = `--b\r\nContent-Disposition: form-data; name="title"\r\n${header}\r\n\r\n${content}\r\n--b--`;
    const type = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const { status, body } = await sendForm(Buffer.from(text, 'latin1'), type);
    expect([[400, 415].includes(status), body.message]).toEqual([true, expect.stringMatching(message)]);
  });

  it('22-plus-became-space: rejects base64 with a lost plus', async () => {
    const { status, body } = await api.post(notes, bytesOf('22-plus-became-space.json'));
    expect([status, body.details.errors[0].code]).toEqual([400, 'invalid_base64']);
  });

  it('25: rejects a note without any field, and accepts one with only a location', async () => {
    const json = { 'Content-Type': 'application/json' };
    for (const sent of ['', '{}', '{"title":null,"files":[]}'])
      expect([sent, (await api.send(notes, { method: 'POST', body: sent, headers: json })).status]).toEqual([
        sent,
        400,
      ]);
    expect((await sendForm(form({}))).status).toBe(400);
    const name = unique('Sites');
    const columns = [text('Code', { primaryKey: true }), text('Name')];
    await tables.send('locations', { locations: [{ name, columns, items: [{ code: name, name: 'Hall' }] }] });
    expect((await api.post(notes, { location: name })).status).toBe(201);
  });

  it.each([
    ['35-name-rfc2047.multipart', 'Prüfung.png'],
    ['35-name-percent.multipart', 'Prüfung №5.png'],
  ])('%s: decodes the name', async (name, decoded) => {
    const type = { 'Content-Type': 'multipart/form-data; boundary=field-case' };
    const { status, body } = await sendForm(bytesOf(name), type);
    expect([status, body.data.files[0].filename]).toEqual([201, decoded]);
  });

  it('31-bom.json: a byte order mark before JSON is ignored', async () => {
    const { status, body } = await api.post(notes, bytesOf('31-bom.json'));
    expect([status, body.data.title]).toEqual([201, 'with a byte order mark']);
  });

  it('16-nested-object-form: reads an object that is sent as JSON', async () => {
    const type = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const { status, body } = await sendForm(bytesOf('16-nested-object-form.multipart'), type);
    expect([status, body.data.customFields]).toEqual([201, { shift: 'night' }]);
  });

  describe('further reports', () => {
    const PNG = bytesOf('35-name-percent.multipart').subarray(
      bytesOf('35-name-percent.multipart').indexOf('\x89PNG', 0, 'latin1'),
      bytesOf('35-name-percent.multipart').lastIndexOf('\r\n--'),
    );
    const partOf = (disposition: string, content: string | Buffer) =>
      Buffer.concat([
        Buffer.from(`Content-Disposition: form-data; ${disposition}\r\n\r\n`),
        Buffer.from(content),
        Buffer.from('\r\n'),
      ]);
    const TITLE = partOf('name="title"', 'Hello; World');
    const formOf = (...parts: (string | Buffer)[]) =>
      Buffer.concat([...parts, '--b--\r\n'].map((part) => Buffer.from(part)));
    const withFile = (disposition: string, content: Buffer = PNG) =>
      formOf('--b\r\n', TITLE, '--b\r\n', partOf(disposition, content));
    const B = 'multipart/form-data; boundary=b';

    it.each<[report: string, what: string, body: Buffer, type?: string]>([
      ['yhirose/cpp-httplib#1317', 'empty lines before the first delimiter', formOf('\r\n\r\n--b\r\n', TITLE)],
      ['yhirose/cpp-httplib#1619', 'no line break at the end', formOf('--b\r\n', TITLE).subarray(0, -2)],
      ['rwf2/multer#25', 'a space after the delimiter', formOf('--b \r\n', TITLE)],
      ['drogonframework/drogon#1357', 'a semicolon in a value', formOf('--b\r\n', TITLE)],
      [
        'Http-Multipart-Data-Parser/HttpMultipartParser#53',
        'a quoted boundary',
        formOf('--b\r\n', TITLE),
        'multipart/form-data; boundary="b"',
      ],
      [
        'oven-sh/bun#41619',
        'a blank before the next parameter',
        formOf('--b\r\n', TITLE),
        'multipart/form-data; boundary=b ; charset=utf-8',
      ],
      ['pillarjs/multiparty#244', 'names without quotes', formOf('--b\r\n', partOf('name=title', 'Hello; World'))],
    ])('%s: accepts %s', async (_, __, body, type = B) => {
      const answer = await sendForm(body, { 'Content-Type': type });
      expect([answer.status, answer.body.data?.title]).toEqual([201, 'Hello; World']);
    });

    it.each([
      ['yesodweb/wai#1037', 'name="files"; filename="semi; colon;.png"', 'semi; colon;.png'],
      ['node-formidable/formidable#86', String.raw`name="files"; filename="b'e\";e.png"`, `b'e";e.png`],
      [
        'Http-Multipart-Data-Parser/HttpMultipartParser#10',
        String.raw`name="files"; filename="C:\test\a.png"`,
        'a.png',
      ],
      ['oven-sh/bun#34363', "name=files; filename=a.png; filename*=utf-8''b.png", 'b.png'],
    ])('%s: reads the file of %s as %s', async (_, disposition, name) => {
      const { status, body } = await sendForm(withFile(disposition), { 'Content-Type': B });
      expect([status, body.data?.title, body.data?.files[0].filename]).toEqual([201, 'Hello; World', name]);
    });

    it('warmcat/libwebsockets#641: line breaks at the end of a file are a part of it', async () => {
      for (const end of ['\r\n', '\r\n\r\n\r\n', '\r', '\r\n-', '\r\n--']) {
        const content = Buffer.concat([PNG, Buffer.from(end)]);
        const { body } = await sendForm(withFile('name="files"; filename="a.png"', content), { 'Content-Type': B });
        expect([end, body.data?.files[0].size]).toEqual([end, content.length]);
      }
    });

    it.each<[report: string, what: string, body: Buffer]>([
      [
        'fsprojects/FSharp.Data#1395',
        'lines that end with LF',
        Buffer.from(formOf('--b\r\n', TITLE).toString().replaceAll('\r\n', '\n')),
      ],
      // Forms have neither, and a part of a damaged form would be lost as such.
      ['defnull/multipart#28', 'a preamble', formOf('MIME-Version: 1.0\r\n\r\n--b\r\n', TITLE)],
      ['nodejs/undici#4671', 'an epilogue', Buffer.concat([formOf('--b\r\n', TITLE), Buffer.from('epilogue')])],
      ['defnull/multipart#64', 'another first delimiter', formOf('--bX\r\n', TITLE)],
      [
        'requests/toolbelt#352',
        'a part without an empty line',
        formOf('--b\r\nContent-Disposition: form-data; name="title"\r\n'),
      ],
      [
        'sicuranext/karna#6',
        'a delimiter instead of the content',
        formOf('--b\r\nContent-Disposition: form-data; name="title"\r\n\r\n', '--b\r\n', TITLE),
      ],
    ])('%s: rejects %s', async (_, __, body) => {
      const answer = await sendForm(body, { 'Content-Type': B });
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    });

    it.each<[report: string, charset: string, body: Buffer, status: number]>([
      ['aws/chalice#306', 'utf-8', Buffer.from('{"title":"Größe"}'), 201],
      ['expressjs/body-parser#106', 'ISO-8859-1', Buffer.from('{"title":"Größe"}', 'latin1'), 201],
      ['coreruleset/coreruleset#3527', 'iso8859-1', Buffer.from('{"title":"Größe"}', 'latin1'), 201],
      ['expressjs/body-parser#117', 'utf-16le', Buffer.from('{"title":"Größe"}', 'utf16le'), 201],
      ['expressjs/body-parser#440', 'utf-7', Buffer.from('{"title":"x"}'), 415],
      ['expressjs/body-parser#440', 'utf-hack', Buffer.from('{"title":"x"}'), 415],
      ['javaee/metro-jax-ws#581', 'usacii', Buffer.from('{"title":"x"}'), 415],
      ['com-lihaoyi/upickle#723', 'utf-8', Buffer.from(String.raw`{"title":"\ud800"}`), 400],
      ['FasterXML/jackson-core#363', 'utf-8', Buffer.from('{"title":"\xed\xa0\x80"}', 'latin1'), 400],
    ])('%s: JSON in %s', async (_, charset, body, status) => {
      const answer = await api.post(notes, body, { 'Content-Type': `application/json; charset=${charset}` });
      expect(answer.status).toBe(status);
      if (status === 201) expect(answer.body.data.title).toBe('Größe');
      if (status === 415) expect(answer.body.message).toContain(charset);
    });

    it.each([
      ['date-fns/date-fns#2489', '2020-12-31T12:34:56.789ZZ'],
      ['date-fns/date-fns#2489', '2020-12-31T12:34:56.789Z+01:00+02:00'],
      ['date-fns/date-fns#3121', '2020-10-21T15:10:55.688Zdf'],
      ['date-fns/date-fns#4139', '2020-01-01T00:00:00+2'],
      ['date-fns/date-fns#4139', '2020-01-01T00:00:00+99:00'],
      ['relvacode/iso8601#6', '2020-02-30T10:24:54Z'],
      ['bitwalker/timex#650', '2017-02-30T00:00:00Z'],
      ['iamkun/dayjs#1175', '1990-13-31T23:59:00Z'],
      ['moment/moment#3809', '2016-12-31T23:59:60Z'],
    ])('%s: %s names no instant', async (_, dueDate) => {
      const { status, body } = await api.post(notes, { title: 'x', dueDate });
      expect([status, body.details?.errors[0].field]).toEqual([400, 'dueDate']);
    });
  });
});

/** The names of the response headers in the OpenAPI document. */
function declaredHeaders(): string[] {
  const { paths } = loadDocument<{
    paths: Record<string, Record<string, { responses?: Record<string, { headers?: object }> }>>;
  }>();
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  return operations.flatMap(({ responses = {} }) =>
    Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)),
  );
}
