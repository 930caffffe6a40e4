import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ATRIUM, CommandLine, ending } from '../support/command-line.js';
import type { Credentials } from '../support/credentials.js';
import { freePort } from '../support/service.js';
import { type SharedService, shareService } from '../support/shared-services.js';

const NOTHING_SET = { ATRIUM_URL: '', ATRIUM_API_KEY: '', ATRIUM_WORKSPACE: '' };

let service: SharedService;
let caller: Credentials;
let atrium: CommandLine;

beforeAll(async () => {
  ({ service } = await shareService());
  caller = await service.provision('Graz works');
});

beforeEach(() => (atrium = new CommandLine(service, caller, NOTHING_SET)));
const profiles = (): string => join(atrium.directory, 'atrium/profiles.json');

describe('atrium login', () => {
  it('asks for address, client ID and secret, and does not show the secret', async () => {
    const terminal = atrium.openTerminal('login');
    await terminal.answer('Address of the service [http://localhost:3000]:', `${service.baseUrl}\r`);
    await terminal.answer('Client ID', `${caller.clientId}\r`);
    await terminal.answer('Client secret', `${caller.clientSecret}\r`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown).toContain('Signed in to "Graz works"');
    expect(terminal.shown).not.toContain(caller.clientSecret);
    expect((await atrium.run('whoami')).stdout).toContain(caller.clientId);
  });

  it('asks for an API key if there is no client ID', async () => {
    const terminal = atrium.openTerminal('login', '--url', service.baseUrl);
    await terminal.answer('Client ID', '\r');
    await terminal.answer('API key', `${caller.apiKey}\r`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown).not.toContain(caller.apiKey);
    expect((await atrium.run('whoami')).stdout).toContain('API key');
  });

  it.each([
    ['Address of the service', []],
    ['Client ID', ['--url', 'http://localhost:1']],
    ['API key', ['--api-key-stdin', '--url', 'http://localhost:1']],
  ])('ends with 130 and stores nothing after Ctrl-C at "%s"', async (question, flags) => {
    const terminal = atrium.openTerminal('login', ...flags);
    await terminal.answer(question, '\x03');
    expect(await terminal.ended).toBe(130);
    expect(terminal.shown).toContain('Nothing was changed.');
    expect(terminal.shown).not.toContain('rror');
    expect(existsSync(profiles())).toBe(false);
  });

  it('asks which of several workspaces, and signs out after Ctrl-C', async () => {
    const other = await service.provision('Linz works');
    const workspaces = [caller, other].flatMap(({ workspaceId }) => ['--workspace', workspaceId]);
    const create = ['user', 'create', '--email', `${randomUUID()}@example.com`, ...workspaces] as const;
    const { id } = await service.operator<{ id: string }>(...create);
    const client = await service.operator<Credentials>('client', 'create', '--user', id);
    const login = ['login', '--url', service.baseUrl, '--client-id', client.clientId];
    const interrupted = atrium.openTerminal(...login);
    await interrupted.answer('Client secret', `${client.clientSecret}\r`);
    await interrupted.answer('ID or name of the workspace', '\x03');
    expect(await interrupted.ended).toBe(130);
    expect(existsSync(profiles())).toBe(false);
    const completed = atrium.openTerminal(...login);
    await completed.answer('Client secret', `${client.clientSecret}\r`);
    await completed.answer('ID or name of the workspace', 'Linz works\r');
    expect(await completed.ended).toBe(0);
    expect((await atrium.run('whoami')).stdout).toContain('Linz works');
    // The interrupted command has ended its session.
    expect((await atrium.json('api', '/v1/api/sessions')).data.items).toHaveLength(1);
  });

  it('reads a secret from standard input', async () => {
    const login = ['login', '--url', service.baseUrl, '--api-key-stdin'];
    expect(await atrium.run(login, '\n')).toMatchObject(ending(1, 'no secret'));
    expect(await atrium.run([...login, '--demo'])).toMatchObject(ending(1, 'one of'));
    expect(await atrium.run(login, `${caller.apiKey}\n`)).toMatchObject({ code: 0 });
    const client = ['login', '--url', service.baseUrl, '--client-id', caller.clientId, '--client-secret-stdin'];
    expect(await atrium.run(client, caller.clientSecret)).toMatchObject({ code: 0 });
    const stored = JSON.parse(readFileSync(profiles(), 'utf8')).default;
    expect(stored).toEqual({
      url: service.baseUrl,
      workspace: caller.workspaceId,
      clientId: caller.clientId,
      clientSecret: caller.clientSecret,
    });
  });

  it('does not use the workspace of the former caller', async () => {
    const login = ['login', '--url', service.baseUrl, '--api-key-stdin'];
    await atrium.run(login, caller.apiKey);
    const other = await service.provision('Steyr works');
    expect((await atrium.run(login, other.apiKey)).stdout).toContain('"Steyr works"');
  });

  it('stores the profiles of several processes that sign in at the same time', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const codes = names.map((name) => {
      const login = atrium.spawn('login', '--url', service.baseUrl, '--api-key', caller.apiKey, '--profile', name);
      return new Promise((settle) => login.once('exit', settle));
    });
    expect(await Promise.all(codes)).toEqual(names.map(() => 0));
    expect(Object.keys(JSON.parse(readFileSync(profiles(), 'utf8'))).sort()).toEqual(names);
  });

  it('and all other commands send stored credentials only to their service', async () => {
    const own = new CommandLine(service, caller, { ...NOTHING_SET });
    await own.run(['login', '--url', service.baseUrl, '--api-key-stdin'], caller.apiKey);
    let requests = 0;
    const other = createServer((_request, response) => {
      requests++;
      response.writeHead(404).end();
    });
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const rejection = (source: string) => ending(1, `${service.baseUrl}, and are not sent to ${url} (${source})`);
    expect(await own.run(['login', '--url', url])).toMatchObject(rejection('--url'));
    const asked = own.openTerminal('login', '--url', url, '--workspace', caller.workspaceId);
    await asked.answer('Client ID', '\x03');
    expect(await asked.ended).toBe(130);
    own.variables['ATRIUM_URL'] = url;
    try {
      for (const command of ['whoami', 'tables', 'login', 'api /v1/api/tours'])
        expect(await own.run(command)).toMatchObject(rejection('ATRIUM_URL'));
      expect(await own.run('doctor')).toMatchObject({ code: 1, stdout: expect.stringContaining('not sent to') });
      expect(requests).toBe(0);
      own.variables['ATRIUM_API_KEY'] = caller.apiKey;
      await own.run('whoami');
      expect(requests).toBeGreaterThan(0);
      own.variables['ATRIUM_URL'] = `${service.baseUrl}/`;
      expect(await own.run('whoami')).toMatchObject({ code: 0 });
    } finally {
      other.close();
    }
  });

  it('names the demo as missing if the service has none', async () => {
    const none = await atrium.run(['login', '--demo', '--url', service.baseUrl]);
    expect(none).toMatchObject(ending(1, 'no demo workspace'));
    const absent = await atrium.run(['login', '--demo', '--url', `http://localhost:${await freePort()}`]);
    expect(absent).toMatchObject(ending(1, 'npm start'));
  });
});

it('`auth token` prints what other programs send', async () => {
  await atrium.run(
    ['login', '--url', service.baseUrl, '--client-id', caller.clientId, '--client-secret-stdin'],
    caller.clientSecret,
  );
  const token = (await atrium.run('auth token')).stdout.trim();
  const request = (headers: Record<string, string>) => fetch(`${service.baseUrl}/v1/api/workspaces`, { headers });
  expect((await request({ authorization: `Bearer ${token}` })).status).toBe(200);
  await atrium.run('login --api-key-stdin', caller.apiKey);
  expect(await atrium.json('auth', 'token')).toEqual({ header: 'x-api-key', value: caller.apiKey });
});

it('Ctrl-C at the question of a deletion ends with 130 and deletes nothing', async () => {
  const own = new CommandLine(service, caller);
  await own.fill('Asked for', [{ code: 'A' }]);
  const terminal = own.openTerminal('delete', 'Asked for', 'A');
  await terminal.answer('Delete the row A', '\x03');
  expect(await terminal.ended).toBe(130);
  expect(await own.rowsOf('Asked for')).toHaveLength(1);
});

describe('atrium doctor', () => {
  const states = async (...args: string[]): Promise<{ code: number | null; [check: string]: unknown }> => {
    const { code, stdout } = await atrium.run(['doctor', '--json', ...args]);
    const findings = JSON.parse(stdout) as { check: string; state: string; detail: string }[];
    return { code, ...Object.fromEntries(findings.map(({ check, state, detail }) => [check, `${state} ${detail}`])) };
  };

  it('names the first thing that is wrong', async () => {
    expect(await states()).toMatchObject({
      code: 1,
      Node: expect.stringMatching(/^ok/),
      profile: expect.stringMatching(/^problem.*atrium login/),
    });
    expect(await states('--profile', 'none')).toMatchObject({
      code: 1,
      profile: expect.stringContaining('"none" does not exist'),
    });
    await atrium.run(['login', '--url', service.baseUrl, '--api-key-stdin'], caller.apiKey);
    expect(await states()).toMatchObject({
      code: 0,
      service: expect.stringMatching(/^ok/),
      clock: expect.stringMatching(/^ok/),
      credentials: expect.stringMatching(/^ok.* 1 workspace$/),
      workspace: expect.stringContaining('Graz works'),
    });
    chmodSync(profiles(), 0o644);
    expect(await states()).toMatchObject({ code: 0, profile: expect.stringMatching(/^warning.*chmod 600/) });
    chmodSync(profiles(), 0o600);
    const stored = JSON.parse(readFileSync(profiles(), 'utf8')).default;
    const change = (fields: object) =>
      atrium.write('atrium/profiles.json', JSON.stringify({ default: { ...stored, ...fields } }));
    change({ apiKey: 'wrong' });
    expect(await states()).toMatchObject({ code: 1, credentials: expect.stringMatching(/^problem.*invalid_api_key/) });
    change({ workspace: '00000000-0000-4000-8000-000000000000' });
    expect(await states()).toMatchObject({ code: 1, workspace: expect.stringMatching(/^problem.*not yours/) });
    change({ url: `http://127.0.0.1:${await freePort()}` });
    expect(await states()).toMatchObject({ code: 1, service: expect.stringMatching(/^problem.*ECONNREFUSED/) });
  });

  it('finds a clock that differs and an address of something else', async () => {
    const other = createServer((_request, response) => {
      response.writeHead(404, { date: new Date(Date.now() - 600_000).toUTCString() }).end();
    });
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    try {
      const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      const own = new CommandLine({ baseUrl: url }, caller);
      const { stdout } = await own.run('doctor');
      expect(stdout).toMatch(/problem\s+service: .*not the address of the service/);
      // The header has whole seconds.
      expect(stdout).toMatch(/warning\s+clock: 60[01] s ahead of the service/);
    } finally {
      other.close();
    }
  });
});

describe('completion', () => {
  /** Completes the last word in bash. */
  const complete = (own: CommandLine, script: string, ...words: string[]): string[] => {
    const setup = `atrium() { ${process.execPath} ${ATRIUM} "$@"; }\n${script}`;
    const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    const state = `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}`;
    const shell = ['-c', `${setup}\n${state}; _atrium; printf '%s\\n' "\${COMPREPLY[@]}"`];
    return spawnSync('bash', shell, { encoding: 'utf8', env: own.environment }).stdout.trim().split('\n');
  };

  it('completes names of tables and profiles in bash', async () => {
    const own = new CommandLine(service, await service.provision());
    await own.fill('Functional Locations', [{ code: 'A' }]);
    await own.fill("Pump's", [{ code: 'A' }]);
    await own.fill('Pipes', [{ code: 'A' }]);
    await own.run('login --profile vienna');
    await own.run('login --profile graz');
    const script = (await own.run('completion bash')).stdout;
    expect(complete(own, script, 'atrium', 'export', 'Fun')).toEqual(['Functional\\ Locations']);
    expect(complete(own, script, 'atrium', 'get', 'P')).toEqual(['Pipes', "Pump\\'s"]);
    expect(complete(own, script, 'atrium', 'diff', 'file.csv', "'Pi")).toEqual(['Pipes']);
    expect(complete(own, script, 'atrium', 'import', 'file.csv', '--table', 'Functional\\ L')).toEqual([
      'Functional\\ Locations',
    ]);
    expect(complete(own, script, 'atrium', 'tables', '--profile', '')).toEqual(['graz', 'vienna']);
    expect(complete(own, script, 'atrium', 'completion', 'f')).toEqual(['fish']);
    expect(complete(own, script, 'atrium', 'auth', '')).toEqual(['token']);
    expect(await own.complete('export', '')).toEqual(['Functional Locations', 'Pipes', "Pump's"]);
    expect((await own.run('--help')).stdout).not.toMatch(/^ {2}complete /m);
  });

  it('completes values that the service knows in bash, and no files instead of them', async () => {
    const own = new CommandLine(service, await service.provision());
    const script = (await own.run('completion bash')).stdout;
    expect(complete(own, script, 'atrium', 'webhooks', 'trigger', 'note.cr')).toEqual(['note.created']);
    expect(complete(own, script, 'atrium', 'events', 'tail', '--types', 'note.cr')).toEqual(['note.created']);
    expect(complete(own, script, 'atrium', 'search', 'pump', '--kinds', 'no')).toEqual(['notes']);
    expect(complete(own, script, 'atrium', 'audit', 'list', '--kind', 'table_')).toEqual([
      'table_changed',
      'table_dropped',
    ]);
    // bash separates words at colons.
    const scope = complete(own, script, 'atrium', 'keys', 'create', '--scope', 'read', ':', 'tou');
    expect(scope).toEqual(['tours']);
  });

  it('offers commands, flags, values, names, files or nothing in all shells', async () => {
    expect(await atrium.complete('')).toEqual(expect.arrayContaining(['import', 'webhooks', 'completion']));
    expect(await atrium.complete('')).not.toContain('complete');
    expect(await atrium.complete('webhooks', '')).toEqual(['listen', 'trigger']);
    expect(await atrium.complete('import', '--on')).toEqual(['--on-error', '--on-duplicate']);
    expect(await atrium.complete('import', 'a.csv', '--on-error', '')).toEqual(['continue']);
    expect(await atrium.complete('diff', '--results')).toEqual([]);
    // Files for an argument or a value that is one, otherwise none.
    expect(await atrium.complete('import', 'a.csv', '')).toEqual(['@files']);
    expect(await atrium.complete('import', 'a.csv', '--mapping', '')).toEqual(['@files']);
    expect(await atrium.complete('export', 'Pipes', '')).toEqual([]);
    expect(await atrium.complete('query', 'Pipes', '--group', '')).toEqual([]);
  });

  it('prints scripts for fish, with descriptions, PowerShell and zsh', async () => {
    const complete = ['complete', 'fish', '--word=import', '--'];
    expect((await atrium.run(complete)).stdout).toMatch(/^import\tstore CSV/);
    for (const shell of ['fish', 'powershell', 'zsh'])
      expect((await atrium.run(['completion', shell])).stdout).toContain(`complete ${shell} `);
  });

  it('help and completion have only flags that have an effect', async () => {
    const help = async (...words: string[]) => (await atrium.run([...words, '--help'])).stdout;
    const compared = await help('diff');
    for (const flag of ['--yes', '--results', '--max-deletions', '--dry-run', '--on-error', '--version'])
      expect(compared).not.toContain(flag);
    expect(compared).toContain('compare only these rows');
    // A command is listed with what its own help shows.
    const listed = (await atrium.run('--help')).stdout;
    expect(listed).toMatch(/^ {2}api \[options\] \[method\] <path> /m);
    expect(listed).toMatch(/^ {2}diff \[options\] <file> <table> /m);
    expect(listed).toMatch(/^ {2}keys {2}/m);
    for (const flag of ['--json', '--quiet', '--profile']) expect(await help('completion')).not.toContain(flag);
    expect(await help('tables')).toContain('--profile');
  });
});
