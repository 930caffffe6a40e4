import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/service.js';

const run = promisify(execFile);

/** The files that the generator, the build, the checks and the tests require. */
const COPIED = [
  'src',
  'clients',
  'migrations',
  'packages',
  'examples',
  'bench',
  'test',
  'tools',
  'docs',
  'README.md',
  'openapi.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'nest-cli.json',
  'jest.config.mjs',
  'eslint.config.mjs',
  '.prettierrc.json',
  '.prettierignore',
  '.dependency-cruiser.cjs',
  '.env.example',
];

describe('npm run generate -- module', () => {
  let copy: string;

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'atrium-generate-'));
    for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  });

  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  async function execute(command: string): Promise<string> {
    const env = { ...process.env, CI: 'true' };
    try {
      return (await run('bash', ['-ec', command], { cwd: copy, env, maxBuffer: 1 << 26 })).stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${command}:\n${stdout}\n${stderr}`, { cause: error });
    }
  }

  it('adds modules that pass lint, the dependency rules and their tests as they are', async () => {
    const listed = await execute(
      'npm run -s generate -- module inspections && npm run -s generate -- module work-orders',
    );
    const generated = [...new Set(listed.match(/^ {2}\S+\.ts$/gm)!.map((line) => line.trim()))];
    expect(generated).toEqual(
      expect.arrayContaining([
        'src/modules/inspections/inspection.entity.ts',
        'src/modules/work-orders/dto/work-order.dto.ts',
        'test/e2e/work-orders.e2e-spec.ts',
      ]),
    );
    const service = readFileSync(join(copy, 'src/modules/work-orders/work-orders.service.ts'), 'utf8');
    expect(service).toContain("label: 'The work order'");
    expect(service).toContain('class WorkOrdersService');
    expect(service + listed).not.toMatch(/checklist/i);

    await execute('npm run -s openapi');
    await execute(`npx prettier --check --log-level warn ${generated.join(' ')}`);
    await execute(`npx eslint ${generated.join(' ')}`);
    // The check reads the files that Git knows.
    await execute('git init -q && git add src migrations test');
    await execute('node tools/check-language.mjs src/modules/inspections src/modules/work-orders migrations test/e2e');
    await execute('npm run -s lint:dependencies');
    await execute('npm run -s typecheck');
    const architecture = ['migrations', 'routes', 'interface'].map((name) => `test/architecture/${name}`).join(' ');
    await execute(`npx jest test/e2e/inspections test/e2e/work-orders ${architecture}`);
    const { paths } = JSON.parse(readFileSync(join(copy, 'openapi.json'), 'utf8')) as { paths: object };
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/v1/api/inspections', '/v1/api/work-orders/{id}']));
  }, 900_000);

  it.each([
    ['a name in the singular', 'module inspection', '--singular'],
    ['an existing module', 'module projects', 'already exists'],
    ['another kind', 'controller things', 'Usage:'],
  ])('rejects %s and writes nothing', async (_, args, message) => {
    await expect(execute(`npm run -s generate -- ${args}`)).rejects.toThrow(message);
    expect(existsSync(join(copy, 'src/modules/inspection'))).toBe(false);
  });
});
