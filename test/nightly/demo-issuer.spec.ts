import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { CommandLine } from '../support/command-line.js';
import type { Credentials } from '../support/credentials.js';
import { Home } from '../support/home.js';
import { completeLogin, runLogin } from '../support/issuer-login.js';
import { freePort } from '../support/service.js';

const NOTHING_SET = { ATRIUM_URL: '', ATRIUM_API_KEY: '', ATRIUM_WORKSPACE: '' };

describe('the demo issuer', () => {
  let home: Home;

  beforeAll(async () => (home = await Home.make()));

  afterAll(async () => {
    await home?.stop();
    home?.remove();
  });

  it('lets its person sign in at the demo workspace', async () => {
    const port = await freePort();
    const occupant = createServer().listen(port, '127.0.0.1');
    const failed = await home.failedStart({ DEMO_ISSUER_PORT: String(port) });
    occupant.close();
    expect(failed).toEqual({ code: 1, output: expect.stringContaining(`DEMO_ISSUER_PORT: ${port} is in use`) });
    await home.start({ DEMO_ISSUER_PORT: String(port) });
    expect(home.output).toContain(`http://127.0.0.1:${port} (sign in as ada with any password)`);
    const demo = JSON.parse(readFileSync(join(home.path, '.data/demo-credentials.json'), 'utf8')) as Credentials;
    const atrium = new CommandLine(home, demo, NOTHING_SET);
    const outcome = await runLogin(atrium, ['--issuer'], (page) => completeLogin(page, 'ada'));
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining('Signed in to "Demo"') });
    expect((await atrium.run('tables')).stdout).toContain('Demo Equipment');
    await home.stop();
    await home.start();
    const answer = await fetch(`${home.baseUrl}/v1/api/oauth2/issuers`);
    expect(await answer.json()).toMatchObject({ data: { items: [] } });
  });
});
