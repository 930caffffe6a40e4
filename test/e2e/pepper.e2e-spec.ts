import { tmpdir } from 'node:os';
import { Api } from '../support/api.js';
import { OperatorProcess } from '../support/operator.js';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';
import { passwordGrant } from '../support/tokens.js';

const ANOTHER = { CREDENTIAL_PEPPER: 'c'.repeat(64) };

/** Credentials that were stored with another pepper are never accepted, and the response does not reveal why. */
describe('a service with a changed CREDENTIAL_PEPPER', () => {
  let database: TestDatabase;
  let me: Credentials;

  beforeAll(async () => {
    database = await TestDatabase.create();
  });

  afterAll(() => database?.drop());

  /** Starts a service, runs `use` and stops the service. @returns the log entries about the pepper. */
  async function pepperLogs(settings: Record<string, string> = {}, use?: (service: TestService) => Promise<void>) {
    const service = await TestService.start(database, settings);
    await use?.(service);
    await service.stop();
    const lines = service.output
      .join('')
      .split('\n')
      .filter((line) => line.includes('CREDENTIAL_PEPPER'));
    return lines.map((line) => JSON.parse(line) as { level: string; msg: string });
  }

  const signIn = async ({ baseUrl }: TestService, client: Pick<Credentials, 'clientId' | 'clientSecret'>) =>
    (await new Api(baseUrl).token(passwordGrant(client))).status;

  it('logs nothing if there are no credentials yet', async () => {
    expect(await pepperLogs(ANOTHER)).toEqual([]);
  });

  it('logs nothing if the pepper is unchanged', async () => {
    await pepperLogs({}, async (service) => {
      me = await service.provision();
    });
    expect(await pepperLogs()).toEqual([]);
  });

  it('logs one error and starts, so that an operator can issue new credentials; after that it logs nothing', async () => {
    let reissued: Credentials;
    const lines = await pepperLogs(ANOTHER, async (service) => {
      expect(await signIn(service, me)).toBe(401);
      reissued = await service.operator<Credentials>('client', 'rotate', me.clientId);
      expect(await signIn(service, reissued)).toBe(200);
    });
    expect(lines).toEqual([
      expect.objectContaining({ level: 'error', msg: expect.stringMatching(/^CREDENTIAL_PEPPER: /) }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('c'.repeat(8));
    expect(await pepperLogs(ANOTHER)).toEqual([]);
  });

  it('a different pepper is reported on stderr of the operator CLI, in addition to the result', async () => {
    const service = await TestService.start(database);
    const third = new OperatorProcess(tmpdir(), { ...service.env, CREDENTIAL_PEPPER: 'd'.repeat(64) });
    const { code, stdout, stderr } = await third.run('client', 'list', '--json');
    expect({ code, clients: JSON.parse(stdout) }).toMatchObject({ code: 0, clients: [{ clientId: me.clientId }] });
    expect(stderr).toContain('CREDENTIAL_PEPPER');
    await service.stop();
  });

  it('logs nothing if all credentials with the old pepper are revoked or expired', async () => {
    await database.query('UPDATE client_secrets SET revoked_at = now()');
    await database.query("UPDATE api_keys SET expires_at = now() - interval '1 second'");
    expect(await pepperLogs({ CREDENTIAL_PEPPER: 'd'.repeat(64) })).toEqual([]);
  });
});
