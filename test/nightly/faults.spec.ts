import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Api } from '../support/api.js';
import { measureElapsed } from '../support/elapsed.js';
import { LoadBalancer } from '../support/load-balancer.js';
import { recordMeasurement } from '../support/measurements.mjs';
import { ROOT, TestDatabase, TestService } from '../support/service.js';
import { Tables } from '../support/tables.js';
import { until } from '../support/until.js';
import { Writers } from '../support/writers.js';

/** How often each failure occurs; in CI once. `FAULT_ROUNDS=20 npm run test:nightly -- faults` takes 10 minutes. */
const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 1);
const IS_SHORT = ROUNDS === 1;
const WRITERS = 6;
const NOTHING_LOST = { lost: 0, partial: 0, duplicates: 0 };

let database: TestDatabase;

beforeAll(async () => {
  database = await TestDatabase.create();
});

afterAll(() => database?.drop());

/** Waits until the writers have stored more. */
async function progress(writers: Writers, batches = 20): Promise<void> {
  const before = writers.acknowledged;
  await until(
    () => writers.acknowledged,
    (count) => count >= before + batches,
  );
}

function expectOnly(writers: Writers, allowed: number[]): void {
  for (const status of writers.statuses.keys()) expect(allowed).toContain(status);
}

function expectNoCrash({ output }: TestService): void {
  expect(output.join('')).not.toMatch(/internal_error|Unhandled|uncaught/i);
}

it('loses no acknowledged row and stores no batch in part while an instance is killed', async () => {
  const stable = await TestService.start(database);
  let killed: TestService | undefined;
  const tables = Tables.of(stable, await stable.provision());
  const writers = await Writers.start(tables, WRITERS, () => [killed?.baseUrl ?? stable.baseUrl]);
  try {
    for (let round = 0; round < ROUNDS; round++) {
      killed = await TestService.start(database);
      await progress(writers);
      await killed.stop('SIGKILL');
      killed = undefined;
    }
    await progress(writers);
    expect(await writers.stop()).toEqual(NOTHING_LOST);
    expectOnly(writers, [0, 200, 409, 503]);
    expectNoCrash(stable);
    recordMeasurement(
      'Acknowledged writes are stored, batches never in part',
      `${ROUNDS} kills, ${writers.acknowledged} batches: 0 lost, 0 partial`,
    );
  } finally {
    await writers.stop();
    await stable.stop();
  }
}, 900_000);

it('answers 503 at worst while all connections to the database are cut', async () => {
  const service = await TestService.start(database);
  const tables = Tables.of(service, await service.provision());
  const writers = await Writers.start(tables, WRITERS, () => [service.baseUrl]);
  let cut = 0;
  try {
    for (let round = 0; round < 5 * ROUNDS; round++) {
      await progress(writers, 5);
      const [{ count }] = (await database.query<{ count: number }>(
        `SELECT count(pg_terminate_backend(pid))::int AS count FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      )) as [{ count: number }];
      cut += count;
    }
    await progress(writers);
    expect(cut).toBeGreaterThanOrEqual(5 * ROUNDS);
    expect(await writers.stop()).toEqual(NOTHING_LOST);
    expectOnly(writers, [200, 409, 503]);
    expectNoCrash(service);
    const unavailable = writers.statuses.get(503) ?? 0;
    recordMeasurement(
      'Connections may be cut',
      `${cut} connections cut: ${unavailable} × 503, 0 lost, 0 partial, slowest answer ${writers.slowestMs} ms`,
    );
  } finally {
    await writers.stop();
    await service.stop();
  }
}, 900_000);

it('shows no error to the clients of three instances that restart one after the other', async () => {
  // The load balancer checks every 50 ms.
  const settings = { SHUTDOWN_DRAIN_MS: '500' };
  const start = () => TestService.start(database, settings);
  let instances: TestService[] = await Promise.all([start(), start(), start()]);
  const balancer = await LoadBalancer.start();
  for (const { baseUrl } of instances) balancer.add(baseUrl);
  const { apiKey, workspaceId } = await instances[0]!.provision();
  const tables = new Tables(new Api(balancer.url).withKey(apiKey), workspaceId);
  const writers = await Writers.start(tables, WRITERS, () => [balancer.url]);
  let restarts = 0;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const instance of IS_SHORT ? instances.slice(0, 1) : instances) {
        restarts++;
        await progress(writers);
        const replacement = await start();
        balancer.add(replacement.baseUrl);
        expect(await instance.stop()).toBe(0);
        balancer.remove(instance.baseUrl);
        expectNoCrash(instance);
        instances = [...instances.filter((each) => each !== instance), replacement];
      }
    }
    await progress(writers);
    expect(await writers.stop()).toEqual(NOTHING_LOST);
    expect([...writers.failures, ...writers.statuses.keys()]).toEqual([200]);
    recordMeasurement(
      'Deployments are not noticeable',
      `${restarts} restarts, ${writers.acknowledged} requests: 0 errors, ${balancer.retried} retried connections`,
    );
  } finally {
    await writers.stop().catch(() => undefined);
    await balancer.stop();
    await Promise.all(instances.map((instance) => instance.stop()));
  }
}, 900_000);

/** A process that starts the PostgreSQL of a folder, or joins the running one, until its input ends. */
const SERVER = `
  import { EmbeddedPostgres } from ${JSON.stringify(pathToFileURL(join(ROOT, 'dist/src/embedded-postgres/embedded-postgres.js')).href)};
  const postgres = await EmbeddedPostgres.start({ dataDir: process.env.SERVER_DIR });
  console.log(postgres.url);
  process.stdin.once('end', () => postgres.stop()).resume();
`;

async function startPostgres(dataDir: string): Promise<{ url: string; server: ChildProcess }> {
  const env = { ...process.env, SERVER_DIR: dataDir };
  const stdio = ['pipe', 'pipe', 'inherit'] as const;
  const server = spawn(process.execPath, ['--input-type=module', '--eval', SERVER], { env, stdio: [...stdio] });
  for await (const url of createInterface({ input: server.stdout })) return { url, server };
  throw new Error('PostgreSQL did not start.');
}

/** The process of PostgreSQL that accepts connections. */
function findPostmaster(dataDir: string): number {
  const file = readdirSync(dataDir, { recursive: true }).find((name) => String(name).endsWith('postmaster.pid'));
  return Number(readFileSync(join(dataDir, String(file)), 'utf8').split('\n')[0]);
}

it('answers 503 while the database restarts, and is ready within two seconds of its return', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-restarts-'));
  chmodSync(dataDir, 0o755);
  const servers: ChildProcess[] = [];
  let service: TestService | undefined;
  let writers: Writers | undefined;
  try {
    const first = await startPostgres(dataDir);
    servers.push(first.server);
    service = await TestService.start({ url: first.url });
    const api = new Api(service.baseUrl);
    writers = await Writers.start(Tables.of(service, await service.provision()), WRITERS, () => [service!.baseUrl]);
    const readyMs: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await progress(writers);
      process.kill(findPostmaster(dataDir), 'SIGINT');
      await until(
        () => api.get('/health/ready'),
        ({ status }) => status === 503,
      );
      servers.push((await startPostgres(dataDir)).server);
      const elapsed = measureElapsed();
      await until(
        () => api.get('/health/ready'),
        ({ status }) => status === 200,
      );
      readyMs.push(Math.round(elapsed()));
    }
    await progress(writers);
    expect(await writers.stop()).toEqual(NOTHING_LOST);
    expectOnly(writers, [200, 409, 503]);
    expectNoCrash(service);
    // A busy machine delays timers.
    expect(Math.max(...readyMs)).toBeLessThan(2_000 + 1_000);
    expect(writers.slowestMs).toBeLessThan(5_000 + 1_500);
    recordMeasurement(
      'The database may restart',
      `${ROUNDS} restarts: ready after ${Math.max(...readyMs)} ms at most, slowest answer ${writers.slowestMs} ms, 0 lost`,
    );
  } finally {
    await writers?.stop().catch(() => undefined);
    await service?.stop();
    for (const server of servers) {
      const ended = once(server, 'exit');
      server.stdin!.end();
      await ended;
    }
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 900_000);
