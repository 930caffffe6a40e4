import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { slowdown } from '../support/machine-speed.js';
import { recordMeasurement } from '../support/measurements.mjs';
import { RepositoryCopy } from '../support/repository-copy.js';

const GUARANTEE = 'Commands of the documents run';
/** A minute for ten files (CONTRIBUTING.md). A module has 14, and changes openapi.json. On the reference machine. */
const MAX_CHECK_S = 75;
const CORES = 2;

describe('npm run generate -- module', () => {
  let copy: RepositoryCopy;

  beforeAll(() => {
    copy = new RepositoryCopy();
  });

  afterAll(() => copy.remove());

  /** Runs a command, and records its CPU time. @returns its output and seconds if each of two cores does half of it */
  async function measure(title: string, command: string): Promise<[output: string, seconds: number]> {
    const output = await copy.execute(`TIMEFORMAT='CPU time: %U %S'\n{ time ${command}; } 2>&1`);
    const [, user, system] = /^CPU time: ([\d.]+) ([\d.]+)$/m.exec(output)!;
    const seconds = Math.round((Number(user) + Number(system)) / CORES);
    recordMeasurement(GUARANTEE, `${title}: ${seconds} s on two cores`);
    return [output, seconds];
  }

  const commit = () =>
    copy.execute('git add -A && git -c user.name=a -c user.email=a@example.com commit -q --no-verify -m a');

  it('adds modules that pass all checks and their own tests as they are', async () => {
    await copy.execute('git init -q');
    await commit();
    // A change that only deletes a file is checked, too.
    await copy.execute('rm src/modules/tours/tours.errors.ts');
    await expect(copy.execute('npm run -s check:changes')).rejects.toThrow(/FAILED +[\d.]+ s {2}openapi.json/);
    await copy.execute('git checkout -q .');
    const first = await copy.execute('npm run -s generate -- module inspections');
    // The second one is a change by itself.
    await commit();
    const listed = first + (await copy.execute('npm run -s generate -- module meter-readings'));
    expect(listed.match(/^ {2}\S+\.ts$/gm)!.map((line) => line.trim())).toEqual(
      expect.arrayContaining([
        'src/modules/inspections/inspection.entity.ts',
        'src/modules/meter-readings/dto/meter-reading.dto.ts',
        'test/e2e/meter-readings.e2e-spec.ts',
      ]),
    );
    const service = readFileSync(join(copy.folder, 'src/modules/meter-readings/meter-readings.service.ts'), 'utf8');
    expect(listed).toContain('The singular of meter-readings is meter-reading;');
    expect(service).toContain("label: 'The meter reading'");
    expect(service).toContain('class MeterReadingsService');
    expect(service + listed).not.toMatch(/work.?order/i);
    // Two modules with the same fields would have the same schemas.
    await copy.execute(
      "sed -i 's/\\bsteps\\b/tasks/g' $(git ls-files --others --exclude-standard | grep meter-reading)",
    );

    const readDocument = () =>
      JSON.parse(readFileSync(join(copy.folder, 'openapi.json'), 'utf8')) as {
        paths: object;
        components: Record<string, Record<string, object>>;
      };
    const former = readDocument();
    await copy.execute('npm run -s openapi');
    // Generated clients have the same types for the other modules.
    const { schemas, responses, headers } = former.components;
    expect(readDocument().components).toMatchObject({ schemas, responses, headers });
    const [checked, seconds] = await measure('a generated module, check:changes', 'npm run -s check:changes');
    expect(seconds).toBeLessThanOrEqual(MAX_CHECK_S * slowdown());
    const steps = [
      'language',
      'format',
      'dependencies of the files',
      'types',
      'lint',
      'openapi.json and codes of errors',
      'tests of \\d+ suites',
    ];
    for (const step of steps) expect(checked).toMatch(new RegExp(`^passed +[\\d.]+ s  ${step}$`, 'm'));
    const started = checked.split('\n').filter((line) => line.startsWith('started'));
    expect(started.slice(0, 3).join()).toMatch(/language.*format.*dependencies/);
    // The others install, or measure, what a module does not change.
    const suites = "$(ls test/architecture/*.spec.ts | grep -vE 'linear-time|production-install|start')";
    await measure('a generated module, architecture tests', `npx jest ${suites}`);
    await measure('a generated module, check:static', 'npm run -s check:static');
    expect(Object.keys(readDocument().paths)).toEqual(
      expect.arrayContaining(['/v1/api/inspections', '/v1/api/meter-readings/{id}']),
    );

    await copy.execute("echo 'export const at = 1' >> src/modules/inspections/inspection.entity.ts");
    await expect(copy.execute('npm run -s check:changes')).rejects.toThrow(/FAILED +[\d.]+ s {2}format/);
  }, 1_800_000);

  it.each([
    ['a name in the singular', 'module inspection', '--singular'],
    ['a plural with several singulars', 'module statuses', '--singular'],
    ['an existing module', 'module projects', 'already exists'],
    ['another kind', 'controller things', "unknown command 'controller'"],
    ['a name too many', 'module inspections tasks', 'too many arguments'],
    ['an unknown option', 'module inspections --plural', "unknown option '--plural'"],
  ])('rejects %s in one line and writes nothing', async (_, args, message) => {
    await expect(copy.execute(`npm run -s generate -- ${args} 2>&1`)).rejects.toThrow(
      new RegExp(`:\\n[^\\n]*${message}[^\\n]*\\n*$`),
    );
    for (const name of ['inspection', 'statuses'])
      expect(existsSync(join(copy.folder, `src/modules/${name}`))).toBe(false);
  });

  it('prints its arguments with --help', async () => {
    expect(await copy.execute('npm run -s generate -- --help')).toMatch(
      /^Usage: npm run generate --[^]*module [^]*column /,
    );
  });
});
