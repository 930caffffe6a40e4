import { tmpdir } from 'node:os';
import { Api } from '../support/api.js';
import { Operator } from '../support/operator.js';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';
import { passwordGrant } from '../support/tokens.js';

const ANOTHER = { CREDENTIAL_PEPPER: 'c'.repeat(64) };

/** Of credentials that were stored under another pepper none is ever accepted, and no caller can tell why. */
describe('a service whose CREDENTIAL_PEPPER is another', () => {
  let database: TestDatabase;
  let me: Credentials;

  beforeAll(async () => {
    database = await TestDatabase.create();
  });

  afterAll(() => database?.drop());

  /** Starts a service, has it looked at, and gives the lines in which it spoke of the pepper. */
  async function said(settings: Record<string, string> = {}, look?: (service: TestService) => Promise<void>) {
    const service = await TestService.start(database, settings);
    await look?.(service);
    await service.stop();
    const lines = service.output
      .join('')
      .split('\n')
      .filter((line) => line.includes('CREDENTIAL_PEPPER'));
    return lines.map((line) => JSON.parse(line) as { level: string; msg: string });
  }

  const signIn = async ({ baseUrl }: TestService, client: Pick<Credentials, 'clientId' | 'clientSecret'>) =>
    (await new Api(baseUrl).token(passwordGrant(client))).status;

  it('says nothing where there are no credentials yet', async () => {
    expect(await said(ANOTHER)).toEqual([]);
  });

  it('says nothing where it is the right one', async () => {
    await said({}, async (service) => {
      me = await service.provision();
    });
    expect(await said()).toEqual([]);
  });

  it('says so in one line, and starts, so that an operator can issue new ones; then it is right', async () => {
    let reissued: Credentials;
    const lines = await said(ANOTHER, async (service) => {
      expect(await signIn(service, me)).toBe(401);
      reissued = await service.operator<Credentials>('client', 'rotate', me.clientId);
      expect(await signIn(service, reissued)).toBe(200);
    });
    expect(lines).toEqual([
      expect.objectContaining({ level: 'error', msg: expect.stringMatching(/^CREDENTIAL_PEPPER: /) }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('c'.repeat(8));
    expect(await said(ANOTHER)).toEqual([]);
  });

  it('is told to the operator beside the answer', async () => {
    const service = await TestService.start(database);
    const third = new Operator(tmpdir(), { ...service.env, CREDENTIAL_PEPPER: 'd'.repeat(64) });
    const { code, stdout, stderr } = await third.run('client', 'list', '--json');
    expect({ code, clients: JSON.parse(stdout) }).toMatchObject({ code: 0, clients: [{ clientId: me.clientId }] });
    expect(stderr).toContain('CREDENTIAL_PEPPER');
    await service.stop();
  });

  it('says nothing of credentials that have ended', async () => {
    await database.query('UPDATE client_secrets SET revoked_at = now()');
    await database.query("UPDATE api_keys SET expires_at = now() - interval '1 second'");
    expect(await said({ CREDENTIAL_PEPPER: 'd'.repeat(64) })).toEqual([]);
  });
});
