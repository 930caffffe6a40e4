import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import ts from 'typescript';
import { expectNone } from '../support/for-each.js';
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

interface Rule {
  alert: string;
  expr: string;
}

function listRules(): Rule[] {
  const documents = loadAll(read('deploy/prometheus-alerts.yaml')) as { groups: { rules: Rule[] }[] }[];
  return documents.flatMap(({ groups }) => groups.flatMap(({ rules }) => rules));
}

interface Document {
  paths: Record<string, object>;
}

interface KubernetesObject {
  apiVersion: string;
  kind: string;
}

interface Container {
  env: { name: string; value: string }[];
  ports: { name: string; containerPort: number }[];
  volumeMounts: { name: string; mountPath: string }[];
}

interface Deployment {
  spec: {
    replicas: number;
    template: {
      metadata: { annotations: Record<string, string> };
      spec: {
        containers: Container[];
        volumes: { name: string; persistentVolumeClaim?: { claimName: string } }[];
      };
    };
  };
}

interface Claim {
  metadata: { name: string };
  spec: { accessModes: string[] };
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

    const { panels } = JSON.parse(read('deploy/grafana-dashboard.json')) as Dashboard;
    const expressions = [
      ...listRules().map(({ expr }) => expr),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    const named = new Set(expressions.flatMap(metricsIn));
    expectNone(
      [...named].filter((name) => !exported.has(name)),
      'Write the name that GET /metrics exports in deploy/prometheus-alerts.yaml and deploy/grafana-dashboard.json.',
    );
    const shown = new Set(panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr))));
    // The areas that an operator looks at.
    const areas = [
      ...['http_requests_total', 'http_request_duration_seconds_bucket', 'http_errors_total', 'atrium_rows_total'],
      ...['database_pool_connections', 'job_queue_age_seconds', 'disk_free_bytes'],
    ];
    expectNone(
      areas.filter((name) => !shown.has(name)),
      'Add a panel with the metric to deploy/grafana-dashboard.json.',
    );
  });

  itWith('promtool')('has valid alerts', () => {
    expect(
      execFileSync('promtool', ['check', 'rules', join(ROOT, 'deploy/prometheus-alerts.yaml')]).toString(),
    ).toMatch(/SUCCESS: \d+ rules found/);
  });

  itWith('promtool')('has alerts that pass their unit tests', () => {
    const tests = join(ROOT, 'deploy/prometheus-alerts.test.yaml');
    expect(execFileSync('promtool', ['test', 'rules', tests]).toString()).toMatch(/SUCCESS/);
  });

  it('tests that each alert is raised, and excludes from slow requests those that wait or transfer files', () => {
    const rules = listRules();
    const tests = read('deploy/prometheus-alerts.test.yaml');
    const untested = rules.filter(({ alert }) => !tests.includes(`{alertname="${alert}",severity=`));
    expectNone(
      untested.map(({ alert }) => alert),
      'Add a test of the alert to deploy/prometheus-alerts.test.yaml.',
    );

    const { expr } = rules.find(({ alert }) => alert === 'AtriumSlowRequests')!;
    const excluded = new RegExp(`^(?:${/route!~"([^"]+)"/.exec(expr)![1]})$`);
    const { paths } = JSON.parse(read('openapi.json')) as Document;
    // As the metrics name routes.
    const routes = new Map(
      Object.entries(paths).map(([path, operations]) => [path.replace(/\{(\w+)\}/g, ':$1'), operations]),
    );
    const waiting = [...routes].filter(([, operations]) => JSON.stringify(operations).includes('"name":"wait"'));
    expect(waiting.map(([route]) => route)).toEqual(['/v2/api/workspaces/:workspaceId/events']);
    const transfers = [...routes.keys()].filter((route) =>
      /\/(import|compare|export|bulk|attachments\/:id)$/.test(route),
    );
    expect(transfers.length).toBeGreaterThan(8);
    const slow = [...waiting.map(([route]) => route), ...transfers];
    expectNone(
      slow.filter((route) => !excluded.test(route)),
      'Exclude the route from AtriumSlowRequests in deploy/prometheus-alerts.yaml.',
    );
    expect([...routes.keys()].filter((route) => excluded.test(route)).length).toBeLessThan(slow.length + 2);
    const named = [...tests.matchAll(/route="([^"]+)"/g)].map(([, route]) => route!);
    expectNone(
      named.filter((route) => !routes.has(route)),
      'Write the present route in deploy/prometheus-alerts.test.yaml.',
    );
  });

  itWith('systemd-analyze')('has valid systemd units, also in the guide to nightly loads', () => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-units-'));
    const blocks = [
      ...read('docs/how-to/running-every-night.md').matchAll(/`(atrium-[\w.-]+)`(?:(?!```)[^])*```ini\n([^]*?)```/g),
    ];
    expect(blocks.map(([, name]) => name)).toEqual([
      ...['atrium-nightly.service', 'atrium-nightly.timer', 'atrium-nightly-mail.service'],
    ]);
    for (const [, name, unit] of blocks) writeFileSync(join(folder, name!), unit!);
    const units = [join(ROOT, 'deploy/atrium.service'), ...blocks.map(([, name]) => join(folder, name!))];
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...units]);
    // Programs and folders of the units may be absent on this machine.
    const problems = stderr
      .toString()
      .split('\n')
      .filter((line) => /atrium[\w-]*\.(service|timer)/.test(line) && !/not executable/.test(line));
    expect({ problems, failed: status !== 0 && problems.length > 0 }).toEqual({ problems: [], failed: false });
    rmSync(folder, { recursive: true });
  });

  it('has Kubernetes objects that match their schemas', () => {
    const objects = loadAll(read('deploy/kubernetes.yaml')) as KubernetesObject[];
    expect(objects.map(({ kind }) => kind)).toEqual([
      ...['PersistentVolumeClaim', 'Deployment', 'Service', 'PodDisruptionBudget'],
    ]);
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

  describe('on Kubernetes', () => {
    const objects = loadAll(read('deploy/kubernetes.yaml')) as KubernetesObject[];
    const find = <T>(kind: string) => objects.find((object) => object.kind === kind) as T;
    const { replicas, template } = find<Deployment>('Deployment').spec;
    const [container] = template.spec.containers as [Container];
    const setting = (name: string) => container.env.find((each) => each.name === name)?.value;

    it('stores files in a volume that outlives the instances and that all of them share', () => {
      const [, dataDir] = /\bDATA_DIR=(\S+)/.exec(read('Dockerfile'))!;
      const files = `${dataDir}/files`;
      // The innermost mount contains the files.
      const mount = container.volumeMounts
        .filter(({ mountPath }) => `${files}/`.startsWith(`${mountPath}/`))
        .sort((one, other) => other.mountPath.length - one.mountPath.length)[0];
      const volume = template.spec.volumes.find(({ name }) => name === mount?.name);
      const claim = find<Claim>('PersistentVolumeClaim');
      expect(volume?.persistentVolumeClaim?.claimName).toBe(claim.metadata.name);
      expect(replicas).toBeGreaterThan(1);
      expect(claim.spec.accessModes).toEqual(['ReadWriteMany']);
    });

    it('exposes neither metrics nor documents', () => {
      const { ports } = find<{ spec: { ports: { targetPort: string }[] } }>('Service').spec;
      const exposed = ports.map(({ targetPort }) => container.ports.find(({ name }) => name === targetPort));
      expect(exposed.map((port) => port?.containerPort)).toEqual([3000]);
      expect([setting('METRICS_PORT'), setting('DOCS_PORT')]).toEqual(['9090', '9090']);
      expect(template.metadata.annotations['prometheus.io/port']).toBe('9090');
    });
  });

  it('requires each secret of the compose file', () => {
    const text = read('compose.yaml');
    const secrets = ['POSTGRES_PASSWORD', 'CREDENTIAL_PEPPER', 'ENCRYPTION_KEY'];
    for (const secret of secrets) expect(text).toContain(`\${${secret}:?`);
    expect([...text.matchAll(/\$\{(\w+):-/g)].map(([, name]) => name)).toEqual(['PUBLIC_URL']);
  });

  it('lists the flags of the process in the guide for operators', () => {
    const guide = read('docs/how-to/operating.md');
    const [, table] = /\n\| Flag of the process .*\n\|[-|]+\n((?:\|.*\n)+)/.exec(guide)!;
    const listed = [...table!.matchAll(/^\| `([^`=]+)=?[^`]*`/gm)].map(([, flag]) => flag);
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const starts = [
      scripts['start']!,
      ...(read('Dockerfile').match(/^(?:ENV|CMD) .*$/gm) ?? []),
      ...(read('deploy/atrium.service').match(/^(?:ExecStart|Environment)=.*$/gm) ?? []),
      ...(guide.match(/^exec env .*$/gm) ?? []),
    ];
    const used = starts.flatMap((text) => text.match(/--[a-z\d-]+|MALLOC_\w+/g) ?? []);
    expectNone(
      [...new Set(used)].filter((flag) => !listed.includes(flag)),
      'Add the flag to the table of flags in docs/how-to/operating.md.',
    );
    expectNone(
      listed.filter((flag) => !used.includes(flag!)).map(String),
      'Remove the flag from the table in docs/how-to/operating.md: no start sets it.',
    );
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
    expectNone(unknown, 'Write a setting of .env.example, or add it to this test if it is not one of the service.');
  });
});
