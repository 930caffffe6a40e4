import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Home } from '../support/home.js';
import { ROOT } from '../support/service.js';

interface Answer {
  status: number;
  data: { hasMore: boolean; items: unknown[]; total: number; totals: Record<string, number> };
  details: { faults: { index: number; column: string; code: string }[] };
}

/** The README's tour, as it stands there, pasted into a shell beside a service on its own fresh PostgreSQL. */
describe('the tour of the README', () => {
  let home: Home;

  beforeAll(async () => {
    home = await Home.make();
    await home.start();
  });

  afterAll(async () => {
    await home.stop();
    home.remove();
  });

  it('works when it is pasted', async () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const tour = /## Five minutes with curl[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme)![1]!;
    const { stdout } = await promisify(execFile)('bash', ['-c', tour], { cwd: home.path });
    expect(stdout).toMatch(/\n$/);
    const answers = stdout.trim().split('\n');
    const [pushed, refused, page, signedOut, ...rest] = answers.map((answer) => JSON.parse(answer) as Answer);
    expect(rest).toEqual([]);
    expect(pushed).toMatchObject({ status: 201, data: { totals: { received: 3, created: 3 } } });
    expect(refused).toMatchObject({ status: 422 });
    expect(refused!.details.faults).toMatchObject([{ index: 1, column: 'colour', code: 'unknown_column' }]);
    expect(page).toMatchObject({ status: 200, data: { hasMore: true, total: 3 } });
    expect(page!.data.items).toHaveLength(2);
    expect(signedOut).toMatchObject({ status: 200 });
  });
});
