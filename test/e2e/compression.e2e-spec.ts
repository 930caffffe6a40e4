import { request as send, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { passwordGrant } from '../support/tokens.js';

interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

const DECODE = { br: brotliDecompressSync, gzip: gunzipSync };

const PROJECTS = '/v1/api/projects';

/** fetch() decompresses bodies itself, so these tests read the bytes of the socket. */
describe('compression', () => {
  let service: SharedService;
  let me: Credentials;
  let api: Api;
  let items: string;

  beforeAll(async () => {
    ({ service } = await shareService());
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
    const rows = Array.from({ length: 100 }, (_, index) => ({ key: `P-${index}`, name: `Feed pump ${index}` }));
    const cw = `/v2/api/workspaces/${me.workspaceId}/cw`;
    const columns = [
      { name: 'Key', type: 'text' },
      { name: 'Name', type: 'text' },
    ];
    await api.post(`${cw}/assets/bulk`, { assets: [{ name: 'Pumps', columns, items: rows }] });
    items = `${cw}/assets/Pumps/items`;
  });

  function get(path: string, headers: Record<string, string> = {}, options: object = {}): Promise<RawAnswer> {
    return new Promise((settle, fail) => {
      const request = send(
        `${service.baseUrl}${path}`,
        { headers: { 'X-API-Key': me.apiKey, ...headers }, ...options },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', fail);
          response.once('end', () =>
            settle({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(chunks) }),
          );
        },
      );
      request.once('error', fail).end();
    });
  }

  const accept = (coding: string) => ({ 'Accept-Encoding': coding });

  describe.each(['gzip', 'br'] as const)('%s', (coding) => {
    it('compresses a page of rows to less than half', async () => {
      const plain = await get(items);
      const { status, headers, bytes } = await get(items, accept(coding));
      expect(status).toBe(200);
      expect(headers).toMatchObject({ 'content-encoding': coding, vary: 'Accept-Encoding' });
      expect(headers['content-length']).toBeUndefined();
      expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
      const { data } = JSON.parse(DECODE[coding](bytes).toString()) as { data: unknown };
      expect(data).toEqual(JSON.parse(plain.bytes.toString()).data);
    });

    it('compresses the OpenAPI document and returns its length', async () => {
      const plain = await get('/openapi.json');
      const { headers, bytes } = await get('/openapi.json', accept(coding));
      expect(headers).toMatchObject({ 'content-encoding': coding, 'content-length': String(bytes.length) });
      expect(headers.vary).toBe('Accept-Encoding');
      expect(bytes.length).toBeLessThan(plain.bytes.length / 5);
      expect(DECODE[coding](bytes)).toEqual(plain.bytes);
    });

    it('returns 304 for the ETag of a compressed response, which differs from the uncompressed one', async () => {
      for (const path of [items, '/openapi.json']) {
        const plain = (await get(path)).headers.etag!;
        const { etag } = (await get(path, accept(coding))).headers;
        expect(etag).toBe(`${plain.slice(0, -1)}-${coding}"`);
        const repeated = await get(path, { ...accept(coding), 'If-None-Match': etag! });
        expect(repeated).toMatchObject({ status: 304, headers: { etag, vary: 'Accept-Encoding' } });
        expect(repeated.headers['content-encoding']).toBeUndefined();
        expect((await get(path, { 'If-None-Match': plain })).status).toBe(304);
      }
    });
  });

  it('accepts the ETag of a compressed response in If-Match', async () => {
    const description = 'A long text. '.repeat(200);
    const { body } = await api.post(PROJECTS, { name: 'Boiler house', description });
    const path = `${PROJECTS}/${body.data.id}`;
    const { etag } = (await get(path, accept('gzip'))).headers;
    expect(etag).toMatch(/^"1-[\w-]{10}-gzip"$/);
    const change = (name: string) =>
      api.send(path, { method: 'PATCH', body: { name }, headers: { 'If-Match': etag! } });
    expect((await change('Turbine hall')).status).toBe(200);
    expect((await change('Substation')).status).toBe(412);
  });

  it('does not compress without Accept-Encoding, or if the caller excludes every coding', async () => {
    for (const headers of [{}, accept('identity'), accept('zstd'), accept('gzip;q=0')]) {
      for (const path of [items, '/openapi.json']) {
        const answer = await get(path, headers);
        expect(answer.headers['content-encoding']).toBeUndefined();
        expect(answer.headers).toMatchObject({
          vary: 'Accept-Encoding',
          'content-length': String(answer.bytes.length),
        });
      }
    }
  });

  it('does not compress bodies of less than 1 KiB', async () => {
    const { headers, bytes } = await get(`${items}?limit=1`, accept('gzip'));
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers['content-length']).toBe(String(bytes.length));
  });

  it.each(['identity', 'gzip', 'br'])('returns the headers of GET without a body for HEAD and %s', async (coding) => {
    const compared = ['content-encoding', 'content-length', 'content-type', 'etag', 'vary'];
    const compare = ({ status, headers }: RawAnswer) => [status, ...compared.map((name) => [name, headers[name]])];
    for (const path of [items, '/openapi.json']) {
      const head = await get(path, accept(coding), { method: 'HEAD' });
      const read = await get(path, accept(coding));
      expect(compare(head)).toEqual(compare(read));
      expect(head.headers['content-encoding'] ?? 'identity').toBe(coding);
      expect(head.bytes).toHaveLength(0);
    }
  });

  it.each(['text/csv', 'application/x-ndjson'])('streams an export as %s without compression', async (type) => {
    const { headers, bytes } = await get(items, { ...accept('gzip, br'), Accept: type });
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers['transfer-encoding']).toBe('chunked');
    expect(bytes.toString().split('\n').length).toBeGreaterThanOrEqual(101);
  });

  it('does not compress tokens', async () => {
    const answer = await fetch(`${service.baseUrl}/v1/api/oauth2/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...accept('gzip') },
      body: JSON.stringify(passwordGrant(me)),
    });
    expect(answer.status).toBe(200);
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(1024);
    expect(answer.headers.get('content-encoding')).toBeNull();
  });
});
