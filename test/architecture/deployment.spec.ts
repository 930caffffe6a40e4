import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import ts from 'typescript';
import { ROOT } from '../support/service.js';
import { shareService } from '../support/shared-services.js';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const isInstalled = (program: string) => spawnSync(program, ['--version']).error === undefined;

/** A test that needs a program, or is skipped with a message. */
function itWith(program: string): jest.It {
  if (isInstalled(program)) return it;
  process.stderr.write(`deploy: skipped, because ${program} is not installed\n`);
  return it.skip;
}

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[];
}

/** The names of metrics in an expression of PromQL, without functions, labels and texts. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '');
  return [...bare.matchAll(/[a-z_:][\w:]*(?!\w|\s*\()/g)]
    .map(([name]) => name)
    .filter((name) => name.includes('_') || name === 'up');
}

describe('deploy', () => {
  it('names in alerts and the dashboard only metrics that the service exports', async () => {
    const { service } = await shareService();
    const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
    const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]));
    const exported = new Set(['up', ...types.keys()]);
    for (const [name, type] of types)
      if (type === 'histogram') for (const suffix of ['bucket', 'count', 'sum']) exported.add(`${name}_${suffix}`);

    const alerts = loadAll(read('deploy/prometheus-alerts.yaml')) as { groups: { rules: { expr: string }[] }[] }[];
    const { panels } = JSON.parse(read('deploy/grafana-dashboard.json')) as Dashboard;
    const expressions = [
      ...alerts.flatMap(({ groups }) => groups.flatMap(({ rules }) => rules.map(({ expr }) => expr))),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    const named = new Set(expressions.flatMap(metricsIn));
    expect([...named].filter((name) => !exported.has(name))).toEqual([]);
    // The areas that an operator looks at.
    expect([...named]).toEqual(
      expect.arrayContaining([
        ...['http_requests_total', 'http_request_duration_seconds_bucket', 'http_errors_total', 'atrium_rows_total'],
        ...['database_pool_connections', 'job_queue_age_seconds'],
      ]),
    );
  });

  itWith('promtool')('has valid alerts', () => {
    expect(
      execFileSync('promtool', ['check', 'rules', join(ROOT, 'deploy/prometheus-alerts.yaml')]).toString(),
    ).toMatch(/SUCCESS: \d+ rules found/);
  });

  itWith('systemd-analyze')('has a valid systemd unit', () => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(ROOT, 'deploy/atrium.service')]);
    // Programs and folders of the unit may be absent on this machine.
    const problems = stderr
      .toString()
      .split('\n')
      .filter((line) => line.includes('atrium.service') && !/not executable/.test(line));
    expect({ problems, failed: status !== 0 && problems.length > 0 }).toEqual({ problems: [], failed: false });
  });

  it('has Kubernetes objects that match their schemas', () => {
    const objects = loadAll(read('deploy/kubernetes.yaml')) as { apiVersion: string; kind: string }[];
    expect(objects.map(({ kind }) => kind)).toEqual(['Deployment', 'Service', 'PodDisruptionBudget']);
    const source = objects.map(({ apiVersion, kind }, at) => {
      const module = `kubernetes-types/${apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`}.js`;
      return `export const object${at}: import('${module}').${kind} = ${JSON.stringify(objects[at])};`;
    });
    const folder = mkdtempSync(join(ROOT, 'dist', 'kubernetes-'));
    try {
      const path = join(folder, 'objects.ts');
      writeFileSync(path, source.join('\n'));
      const options = { strict: true, noEmit: true, types: [], module: ts.ModuleKind.NodeNext, skipLibCheck: true };
      const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([path], options));
      expect(diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('names only settings that exist', () => {
    const settings = new Set([...read('.env.example').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name));
    const others = ['NODE_ENV', 'MALLOC_ARENA_MAX', 'POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_PASSWORD', 'BASE'];
    const files = [
      'Dockerfile',
      'compose.yaml',
      'deploy/atrium.service',
      'deploy/kubernetes.yaml',
      'deploy/prometheus-alerts.yaml',
    ];
    const unknown = files.flatMap((file) =>
      [...read(file).matchAll(/\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/g)]
        .map(([, name]) => name!)
        .filter((name) => !settings.has(name) && !others.includes(name) && !/^AF_/.test(name))
        .map((name) => `${file}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});
