import { request as httpRequest } from 'node:http';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { Tables, text, unique } from '../support/tables.js';

describe('a malformed request', () => {
  let service: SharedService;
  let me: Credentials;
  let api: Api;
  let tables: Tables;
  const table = unique('Malformed');

  beforeAll(async () => {
    ({ service } = await shareService());
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
    tables = Tables.of(service, me);
    await tables.bulk('assets', { name: table, columns: [text('Code')], items: [{ code: 'A' }] });
  });

  it.each(['/v1/api/projects?limit[a]=1', '/v1/api/users?fields[a][b]=id', '/v1/api/tags?limit[a]=1'])(
    'returns 400 for an object as value: %s',
    async (path) => {
      const answer = await api.get(path);
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
      expect(answer.body.message + JSON.stringify(answer.body.details)).not.toContain('[object');
    },
  );

  it.each(['PUT', 'PATCH'])('returns 400 for %s of a row without a body', async (method) => {
    const path = `${tables.path}/assets/${encodeURIComponent(table)}/items/A`;
    expect(await api.send(path, { method })).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect((await tables.rows('assets', table)).map(({ code }) => code)).toEqual(['A']);
  });

  it('quotes a long key only in part', async () => {
    const { status, body } = await api.post('/v1/api/projects', { name: 'x', ['k'.repeat(70_000)]: 1 });
    expect(status).toBe(400);
    expect(JSON.stringify(body).length).toBeLessThan(2_000);
  });

  it('returns 401 for text after the Bearer token', async () => {
    const token = (await new Api(service.baseUrl).signIn(me)).headers['Authorization']!;
    const send = (authorization: string) =>
      new Api(service.baseUrl, { Authorization: authorization }).get('/v1/api/projects');
    expect((await send(token)).status).toBe(200);
    expect((await send(`${token} x`)).status).toBe(401);
    expect((await send(`${token},${token}`)).status).toBe(401);
  });

  it('is not a POST with an empty chunked body', async () => {
    const project = (await api.post('/v1/api/projects', { name: 'Chunked' })).body.data.id as string;
    expect((await api.delete(`/v1/api/projects/${project}`)).status).toBe(200);
    expect(await sendChunked(`/v1/api/projects/${project}/restore`)).toBe(200);
    // Nothing but the missing fields is reported.
    expect(await sendChunked('/v1/api/projects')).toBe(400);
  });

  it('is not a GET of a list with If-None-Match *', async () => {
    expect((await api.get('/v1/api/projects', { 'If-None-Match': '*' })).status).toBe(200);
  });

  it.each(['PUT', 'PATCH'])(
    'is a %s of a row with an empty chunked body, which leaves the row as it is',
    async (method) => {
      const name = unique('Table');
      await tables.bulk('assets', { name, columns: [text('Code'), text('Note')], items: [{ code: 'A', note: 'x' }] });
      const path = `${tables.path}/assets/${encodeURIComponent(name)}/items/A`;
      expect(await sendChunked(path, method, { 'Content-Type': 'application/json' })).toBe(400);
      expect((await api.get(path)).body.data.item).toEqual({ code: 'A', note: 'x' });
    },
  );

  function sendChunked(path: string, method = 'POST', type = {}): Promise<number> {
    const headers = { ...api.headers, ...type, 'Transfer-Encoding': 'chunked' };
    return new Promise((resolve, reject) => {
      httpRequest(service.baseUrl + path, { method, headers }, (response) => {
        response.resume();
        resolve(response.statusCode!);
      })
        .once('error', reject)
        .end();
    });
  }
});
