import { CommandLine, ending } from '../support/command-line.js';
import { shareService } from '../support/shared-services.js';

let atrium: CommandLine;
/** The name of the caller, as members see it. */
let member: string;

beforeAll(async () => {
  const { service } = await shareService();
  atrium = new CommandLine(service, await service.provision());
  const { userId, workspaceId } = atrium.caller;
  const params = { path: { id: userId }, query: { workspaceId } };
  const { email, displayName } = await atrium.client.get('/v1/api/users/{id}', { params });
  member = displayName ?? email;
});

const createKey = (...flags: string[]) => atrium.json<{ id: string; apiKey: string }>('keys', 'create', ...flags);

const createPolicy = async (name: string) => {
  atrium.write('policy.yaml', `name: ${name}\ntables: [{ entity: assets, table: '*' }]\n`);
  return (await atrium.json<{ id: string }>('policies', 'apply', 'policy.yaml')).id;
};

describe('what has a name', () => {
  it('a policy: is shown, assigned and deleted by its name in any letter case', async () => {
    const id = await createPolicy('Contractor');
    expect((await atrium.run('policies show contractor')).stdout).toContain('name: Contractor');
    expect(await createKey('--name', 'Restricted', '--policy', 'Contractor')).toMatchObject({ policyId: id });
    const [{ id: client }] = await atrium.json('policies', 'clients');
    expect(await atrium.json('policies', 'assign', 'Contractor', member)).toMatchObject({ id: client, policyId: id });
    expect(await atrium.json('policies', 'withdraw', member)).toMatchObject({ id: client, policyId: null });
    await atrium.run('keys revoke Restricted --yes');
    expect(await atrium.run('policies delete CONTRACTOR --yes')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The access policy "Contractor" is deleted.'),
    });
    expect(await atrium.run('policies show Contractor')).toMatchObject(
      ending(1, 'There is no access policy with the name or ID "Contractor".'),
    );
  });

  it('a key: is rotated and revoked by its name, unless several have it', async () => {
    const first = await createKey('--name', 'Gateway');
    expect(await atrium.json('keys', 'rotate', 'Gateway')).toMatchObject({ id: first.id });
    const second = await createKey('--name', 'Gateway');
    const { code, stderr } = await atrium.run('keys revoke Gateway --yes');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Several have the name "Gateway".')]);
    for (const { id } of [first, second]) expect(stderr).toContain(id);
    expect((await atrium.run(['keys', 'revoke', first.id, '--yes'])).code).toBe(0);
    // A revoked key does not make the name ambiguous.
    expect(await atrium.json('keys', 'revoke', 'Gateway', '--yes')).toMatchObject({ id: second.id });
  });

  it('a key or a user: selects entries of the audit log', async () => {
    const { id, apiKey } = await createKey('--name', 'Audited');
    const used = new CommandLine(atrium.service, { ...atrium.caller, apiKey });
    await used.fill('Audited rows', [{ code: 'A', weight: 1 }]);
    const byKey = await atrium.json<any[]>('audit', 'list', '--principal', 'audited', '--kind', 'load_stored');
    expect(byKey.map(({ principal }) => principal.id as string)).toEqual([id]);
    const byUser = await atrium.json<any[]>('audit', 'list', '--principal', member);
    expect(byUser.length).toBeGreaterThan(0);
  });
});

describe('names of users', () => {
  it('are shown as the creators of keys', async () => {
    await createKey('--name', 'Created');
    const { stdout } = await atrium.run('keys list');
    expect(stdout).toContain(member);
    expect(stdout).not.toContain(atrium.caller.userId);
  });

  it('are not requested with credentials that do not permit it: the audit log has no rejection', async () => {
    await atrium.fill('Written', [{ code: 'A', weight: 1 }]);
    const { apiKey } = await createKey('--name', 'Tables only', '--scope', 'write:workspaces');
    const reader = new CommandLine(atrium.service, { ...atrium.caller, apiKey });
    for (const command of [
      ['history', 'Written', 'A'],
      ['keys', 'list'],
      ['policies', 'clients'],
    ]) {
      const { code, stdout } = await reader.run(command);
      expect([code, stdout]).toEqual([0, expect.stringContaining(atrium.caller.userId)]);
    }
    expect((await reader.run(['audit', 'list', '--principal', 'Tables only'])).code).toBe(0);
    const rejected = 'scope_rejected,role_rejected,policy_rejected';
    expect(await atrium.json('audit', 'list', '--kind', rejected)).toEqual([]);
  });
});
