import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { ROOT } from '../support/service.js';
import { type SharedService, shareService } from '../support/shared-services.js';

const run = promisify(execFile);

const FOLDER = join(ROOT, 'test/generated-clients');

/** Installing the generators takes a minute, generating and compiling another. */
const SETUP_MS = 600_000;

const npm = (...parameters: string[]) => run('npm', parameters, { cwd: FOLDER, maxBuffer: 10_000_000 });

/** Clients that are generated from openapi.json, compiled with `--strict` and used against the service. */
describe('clients generated from openapi.json', () => {
  let service: SharedService;
  let me: Credentials;
  let projectId: string;

  beforeAll(async () => {
    if (!existsSync(join(FOLDER, 'node_modules'))) await npm('ci', '--no-audit', '--no-fund', '--ignore-scripts');
    ({ service } = await shareService());
    me = await service.provision();
    const project = await new Api(service.baseUrl).withKey(me.apiKey).post('/v1/api/projects', { name: 'Clients' });
    projectId = project.body.data.id;
    await npm('run', '--silent', 'generate');
    await npm('run', '--silent', 'compile');
  }, SETUP_MS);

  it.each(['openapi-fetch', 'hey-api', 'orval'])(
    '%s signs in, pushes rows, reads filtered pages, uploads a file and handles row errors by their codes',
    async (client) => {
      const child = spawn(process.execPath, ['compiled/main.mjs', client], { cwd: FOLDER, stdio: 'pipe' });
      const { baseUrl } = service;
      const { clientId, clientSecret, workspaceId } = me;
      const table = `Pumps of ${client}`;
      child.stdin.end(JSON.stringify({ baseUrl, clientId, clientSecret, workspaceId, projectId, table }));
      const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
      expect(errors).toBe('');
      expect(JSON.parse(output)).toEqual({
        created: 6,
        keys: ['P-2', 'P-3', 'P-4', 'P-5', 'P-6'],
        pages: 3,
        files: ['leak.png'],
        error: 'invalid_rows',
        rowErrors: [
          ['type_mismatch', 0, 'weight'],
          ['duplicate_in_batch', 1, 2],
          ['duplicate_in_batch', 2, 1],
        ],
      });
    },
  );

  it('has no errors and no warnings in the rules of Spectral', async () => {
    const { stdout } = await npm('run', '--silent', 'lint');
    expect(stdout).toContain('No results with a severity of');
  });
});
