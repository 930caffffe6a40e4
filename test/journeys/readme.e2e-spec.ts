import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, ROOT } from '../support/service.js';

interface Answer {
  status: number;
  data: Record<string, any>;
  details: { faults: { index: number; column: string; code: string }[] };
}

/** The README's tour, as it stands there, pasted into a shell beside a service on its own fresh PostgreSQL. */
describe('the tour of the README', () => {
  const home = mkdtempSync(join(tmpdir(), 'atrium-readme-'));
  let service: ReturnType<typeof spawn>;

  beforeAll(async () => {
    chmodSync(home, 0o755);
    const port = String(await freePort());
    const env = { ...process.env, PORT: port, NODE_ENV: 'development', DATABASE_URL: '' };
    service = spawn(process.execPath, [join(ROOT, 'dist/src/main.js')], { cwd: home, env, stdio: 'ignore' });
    for (let attempt = 0; attempt < 400; attempt++) {
      if ((await fetch(`http://localhost:${port}/health/ready`).catch(() => undefined))?.ok) return;
      await delay(50);
    }
    throw new Error('The service did not become ready.');
  });

  afterAll(async () => {
    const exited = new Promise((done) => service.once('exit', done));
    service.kill('SIGINT');
    await exited;
    // As root the data may be elsewhere, behind a link.
    rmSync(realpathSync(join(home, '.data/postgres')), { recursive: true, force: true });
    rmSync(home, { recursive: true, force: true });
  });

  it('works when it is pasted', async () => {
    const tour = /## Five minutes with curl[\s\S]*?```sh\n([\s\S]*?)```/.exec(
      readFileSync(join(ROOT, 'README.md'), 'utf8'),
    )![1]!;
    const { stdout } = await promisify(execFile)('bash', ['-c', tour], { cwd: home });
    const [pushed, refused, page, signedOut, ...rest] = stdout
      .replaceAll('}{', '}\n{')
      .split('\n')
      .map((line) => JSON.parse(line) as Answer);
    expect(rest).toEqual([]);
    expect(pushed).toMatchObject({ status: 201, data: { totals: { received: 3, created: 3 } } });
    expect(refused).toMatchObject({ status: 422 });
    expect(refused!.details.faults).toMatchObject([{ index: 1, column: 'colour', code: 'unknown_column' }]);
    expect(page).toMatchObject({ status: 200, data: { hasMore: true, total: 3 } });
    expect(page!.data['items']).toHaveLength(2);
    expect(signedOut).toMatchObject({ status: 200 });
  });
});
