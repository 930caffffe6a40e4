import { Api, type ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { type SharedService, shareService } from '../support/shared-services.js';

let service: SharedService;
let me: Credentials;
let api: Api;

beforeAll(async () => {
  ({ service } = await shareService());
  me = await service.provision();
  api = new Api(service.baseUrl).withKey(me.apiKey);
}, 60_000);

/** The address of the help in the `Link` header. */
function helpOf(headers: Headers): URL {
  const link = /<([^>]+)>; rel="help"/.exec(headers.get('link') ?? '');
  expect(link).not.toBeNull();
  return new URL(link![1]!);
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('error responses', () => {
  it.each<[string, (anonymous: Api) => Promise<{ status: number; headers: Headers }>, number, string]>([
    ['an unknown query parameter', () => api.get('/v1/api/projects?colour=red'), 400, 'invalid_request'],
    ['missing credentials', (anonymous) => anonymous.get('/v1/api/projects'), 401, 'unauthenticated'],
    ['an unknown path', () => api.get('/v1/api/nothing'), 404, 'not_found'],
    ['an unsupported method', () => api.put('/v1/api/projects', {}), 405, 'method_not_allowed'],
    ['a truncated body', () => api.post('/v1/api/projects', '{"name": '), 400, 'malformed_json'],
    [
      'an invalid row',
      () => push({ name: 'Links', columns: [text('Key')], items: [{ key: '' }] }),
      422,
      'invalid_rows',
    ],
    [
      'a rejected client in a form of OAuth 2.0',
      (anonymous) => anonymous.post('/v1/api/oauth2/token', 'grant_type=client_credentials', FORM),
      401,
      'invalid_client',
    ],
  ])('to %s link to the page of their code', async (_, request, status, code) => {
    const response = await request(new Api(service.baseUrl));
    expect(response.status).toBe(status);
    const help = helpOf(response.headers);
    // The service knows its address only from PUBLIC_URL.
    expect(help.href).toBe(`https://atrium.test/guide/errors#${code}`);
    const page = await (await fetch(service.baseUrl + help.pathname)).text();
    expect(page).toContain(`id="${code}"`);
    expect(page.slice(page.indexOf(`id="${code}"`))).toMatch(/^[^]{1,900}Remedy: /);
  });

  const PROBLEM = 'application/problem+json';

  it.each([
    PROBLEM,
    `application/json, ${PROBLEM}`,
    `${PROBLEM};q=0.5, */*`,
    'Application/Problem+JSON; charset=utf-8',
  ])('are problem details (RFC 9457) with Accept: %s', async (Accept) => {
    const usual = await api.post('/v1/api/projects', { colour: 'red' });
    const problem = await api.post('/v1/api/projects', { colour: 'red' }, { Accept });
    expect(problem.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    const { message, ...others } = usual.body as Record<string, unknown>;
    expect([problem.status, problem.body]).toEqual([
      usual.status,
      {
        ...others,
        type: helpOf(usual.headers).href,
        title: 'Bad Request',
        detail: message,
        timestamp: expect.any(Number),
        requestId: problem.headers.get('x-request-id'),
      },
    ]);
    expect(problem.headers.get('vary')).toContain('Accept');
    // Successes are as usual.
    expect((await api.get('/v1/api/projects', { Accept })).headers.get('content-type')).toMatch(/^application\/json/);
  });

  it.each(['*/*', 'application/*', `${PROBLEM};q=0, application/json`, 'application/problem+xml'])(
    'have the usual form with Accept: %s',
    async (Accept) => {
      const { headers, body } = await api.get('/v1/api/projects?colour=red', { Accept });
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(body).toMatchObject({ status: 400, error: 'invalid_request', message: expect.any(String) });
    },
  );

  it('list the invalid fields of path, query and body together', async () => {
    const listErrors = ({ status, body }: ApiResponse) => {
      const { errors, total } = body.details as { errors: { field: string; code: string }[]; total: number };
      return [status, body.error, total, ...errors.map(({ field, code }) => `${field}: ${code}`)];
    };
    const user = await api.patch('/v1/api/users/17?workspaceId=here', { displayName: 5, colour: 'red' });
    expect(listErrors(user)).toEqual([
      ...[400, 'invalid_request', 4],
      ...['id: invalid_field', 'workspaceId: invalid_field', 'colour: unknown_field', 'displayName: invalid_field'],
    ]);
    const tours = await api.post('/v1/api/tours/bulk?onError=ignore&page=2', { items: {} });
    const ofQuery = ['page: unknown_field', 'onError: invalid_field'];
    expect(listErrors(tours)).toEqual([400, 'invalid_request', 3, ...ofQuery, 'items: invalid_field']);
    const history = await api.get('/v1/api/notes/17/history?limit=many');
    expect(listErrors(history)).toEqual([400, 'invalid_request', 2, 'id: invalid_field', 'limit: invalid_field']);
    const delivery = await api.post(`/v2/api/workspaces/${me.workspaceId}/subscriptions/1/deliveries/2/redeliver`);
    const ofPath = ['id: invalid_field', 'deliveryId: invalid_field'];
    expect(listErrors(delivery)).toEqual([400, 'invalid_request', 2, ...ofPath]);
  });

  it('of the token endpoint have the form of OAuth 2.0', async () => {
    const anonymous = new Api(service.baseUrl);
    const { body } = await anonymous.post('/v1/api/oauth2/token', 'grant_type=x', { ...FORM, Accept: PROBLEM });
    expect(body).toMatchObject({ error: expect.any(String), error_description: expect.any(String) });
  });

  it('of a deprecated route link to the successor and to the page of their code', async () => {
    const { status, headers } = await api.post('/v1/api/notes/erp/webhook', { unknown: 1 });
    expect(status).toBe(400);
    expect(headers.get('link')).toContain('rel="successor-version"');
    expect(helpOf(headers).hash).toBe('#invalid_request');
  });

  it('are not successes: a success has no link to help', async () => {
    const { status, headers } = await api.get('/v1/api/projects');
    expect([status, headers.get('link')]).toEqual([200, null]);
  });
});

describe('the message of a 207', () => {
  it('of a bulk request for records counts the items that were not stored', async () => {
    const items = [{ title: 'No project' }, { title: 'No project either' }];
    const { status, body } = await api.post('/v1/api/tours/bulk?onError=continue', { items });
    expect([status, body.message]).toEqual([207, '2 of 2 items were not stored; see their errors']);
  });

  it('of a bulk request for rows counts the rows that were not stored', async () => {
    const table = { name: 'Partly', columns: [text('Key')], items: [{ key: 'A' }, { key: '' }] };
    const { status, body } = await push(table, '?onError=continue');
    expect([status, body.message]).toEqual([207, '1 row was not stored']);
  });
});

function push(table: object, query = '') {
  return api.post(`/v2/api/workspaces/${me.workspaceId}/cw/lists/bulk${query}`, { lists: [table] });
}

function text(name: string) {
  return { name, type: 'text' };
}
