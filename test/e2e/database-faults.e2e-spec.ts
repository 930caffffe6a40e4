import { Api } from '../support/api.js';
import { measureElapsed } from '../support/elapsed.js';
import { TestDatabase, TestService } from '../support/service.js';
import { COLUMNS, TableAdministration } from '../support/table-administration.js';
import { Tables } from '../support/tables.js';
import { Tunnel } from '../support/tunnel.js';
import { until } from '../support/until.js';

/** Enough for a busy machine. */
const CONNECT_TIMEOUT_MS = 4_000;

const PROJECTS = '/v1/api/projects';

describe('a failing database', () => {
  let database: TestDatabase;
  let tunnel: Tunnel;
  let service: TestService;
  let api: Api;
  let tables: TableAdministration;

  beforeAll(async () => {
    database = await TestDatabase.create();
    tunnel = await Tunnel.to(database);
    service = await TestService.start(database, {
      DATABASE_URL: tunnel.url,
      DATABASE_CONNECT_TIMEOUT_MS: String(CONNECT_TIMEOUT_MS),
    });
    const credentials = await service.provision();
    api = new Api(service.baseUrl).withKey(credentials.apiKey);
    tables = TableAdministration.for(Tables.of(service, credentials));
    await database.query('CREATE SEQUENCE attempts');
  });

  afterAll(async () => {
    await service?.stop();
    await tunnel?.close();
    await database?.drop();
  });

  /**
   * Each insert of a project fails with this SQLSTATE. The sequence counts the attempts, also of failed transactions.
   */
  async function failProjects(state: string): Promise<void> {
    await database.query(`
      CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM nextval('attempts');
        RAISE EXCEPTION 'secret internals' USING ERRCODE = '${state}';
      END $$`);
    await database.query(
      'CREATE OR REPLACE TRIGGER fail BEFORE INSERT ON projects FOR EACH ROW EXECUTE FUNCTION fail()',
    );
    await database.query('ALTER SEQUENCE attempts RESTART');
  }

  const attempts = async () =>
    Number((await database.query<{ attempts: string }>("SELECT nextval('attempts') - 1 AS attempts"))[0]!.attempts);

  afterEach(() => database.query('DROP TRIGGER IF EXISTS fail ON projects'));

  it.each([
    ['53100', 503, 'storage_full'],
    ['53200', 503, 'database_unavailable'],
    ['53400', 503, 'database_unavailable'],
    ['58030', 503, 'database_unavailable'],
    ['40003', 503, 'database_unavailable'],
    ['55006', 503, 'busy'],
    ['54000', 400, 'database_limit_exceeded'],
    ['54001', 400, 'database_limit_exceeded'],
    ['22P05', 400, 'invalid_request'],
    ['XX001', 500, 'internal_error'],
  ])('that reports SQLSTATE %s returns %i %s', async (state, status, error) => {
    await failProjects(state);
    const answer = await api.post(PROJECTS, { name: 'Boiler house' });
    expect(answer).toMatchObject({ status, body: { status, error } });
    expect(JSON.stringify(answer.body)).not.toMatch(/secret|SQLSTATE|fail\(/);
    expect(Number(answer.headers.get('Retry-After')) > 0).toBe(status === 503);
    expect((await api.get(PROJECTS)).status).toBe(200);
  });

  it.each(['40001', '40P01'])('repeats a transaction that fails with %s, then returns 503', async (state) => {
    await failProjects(state);
    const answer = await api.post(PROJECTS, { name: 'Boiler house' });
    expect(answer).toMatchObject({ status: 503, body: { error: 'busy' } });
    expect(answer.headers.get('Retry-After')).toBe('1');
    expect(await attempts()).toBe(3);
  });

  it('raises an alarm per kind of failure once per minute', async () => {
    await failProjects('53100');
    const answers = await Promise.all([1, 2, 3].map(() => api.post(PROJECTS, { name: 'Boiler house' })));
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    const alarms = service.output
      .join('')
      .split('\n')
      .filter((line) => line.includes('DatabaseAlarm') && line.includes('53100'));
    expect(alarms).toHaveLength(1);
    expect(JSON.parse(alarms[0]!)).toMatchObject({ level: 'error', context: 'DatabaseAlarm' });
  });

  it('builds an index although its first connection is silent', async () => {
    const name = await tables.createTable('lists', COLUMNS, [{ key: 'a', name: 'A' }]);
    // The limit of its statements, in milliseconds.
    tunnel.silenceNext('statement_timeout\u000086400000');
    await tables.edit('lists', name, { columns: [{ key: 'name', options: { indexed: true } }] });
    await tables.indexIs('lists', name, 'name', 'ready');
    expect(tunnel.hasSilenced).toBe(true);
    const { body } = await api.get(`/v2/api/workspaces/${tables.workspaceId}/events?types=table.index_failed`);
    expect(body.data.events).toEqual([]);
  });

  it('lets readiness fail within a second while it does not respond, and recover', async () => {
    expect((await api.get('/health/ready')).status).toBe(200);
    tunnel.freeze();
    try {
      const elapsed = measureElapsed();
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => api.get('/health/ready')));
      expect(elapsed()).toBeLessThan(2_000);
      for (const { status, headers } of answers) {
        expect(status).toBe(503);
        expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
      }
      expect((await api.get('/health/live')).status).toBe(200);
    } finally {
      tunnel.thaw();
    }
    await until(
      () => api.get('/health/ready'),
      ({ status }) => status === 200,
    );
  });
});
