/**
 * Runs the service, and starts it again when a source changes. PostgreSQL continues meanwhile.
 *
 *     npm run dev [-- --inspect]
 *
 * Types are not checked: editors and `npm run typecheck` do it. If a file cannot be compiled, the former service
 * continues.
 *
 * A second process loads the packages while the service runs, because it takes most of the time of a start. The next
 * start uses that process. With `--inspect` there is only one process, whose debugger has the port.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Build } from './build.mjs';
import { buildTables, isTablesOutdated } from './build-tables.mjs';

const SERVICE_FOLDERS = ['src', 'packages', 'migrations', 'clients/tables', 'clients/typescript/src'];
/** Editors write a file in several steps, and `git switch` writes many files. */
const CHANGE_PAUSE_MS = 100;
/** How long requests and jobs may take to end, before the process is killed. */
const STOP_LIMIT_MS = 1_000;

class DevelopmentService {
  #build = new Build();
  #inspect = process.argv.slice(2).filter((argument) => argument.startsWith('--inspect'));
  #running;
  #prepared;
  #changes = Promise.resolve();
  #isPlanned = false;
  #database;

  async start() {
    if (!(await this.#compile())) process.exit(1);
    // The presence of this process lets the embedded PostgreSQL run while the service restarts.
    this.#database = await openDatabase();
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void this.stop());
    for (const folder of SERVICE_FOLDERS)
      watch(folder, { recursive: true }, (_event, name) => {
        if (/(?<!\.spec)\.tsx?$/.test(name ?? '')) this.#planRestart();
      });
    await once(this.#launch(), 'message');
    this.#build.prepare();
  }

  /** @returns whether the build succeeded */
  async #compile() {
    if (!(await this.#build.run())) return false;
    try {
      if (isTablesOutdated()) await buildTables();
      return true;
    } catch (error) {
      print(error.message);
      return false;
    }
  }

  async stop() {
    this.#prepared?.kill('SIGKILL');
    await this.#endService();
    await this.#database.stop();
    process.exit(0);
  }

  /** One restart follows the other. Changes within a pause cause one restart. */
  #planRestart() {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.#changes = this.#changes.then(async () => {
      await delay(CHANGE_PAUSE_MS);
      this.#isPlanned = false;
      await this.#restart();
    });
  }

  async #restart() {
    const startedAt = Date.now();
    if (!(await this.#compile())) return print('The former service continues.');
    await this.#endService();
    const service = this.#launch();
    const [message] = await Promise.race([once(service, 'message'), once(service, 'exit')]);
    if (message === 'ready') print(`Restarted within ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`);
  }

  /** @returns the process of the service */
  #launch() {
    const service = this.#prepared ?? this.#prepare();
    this.#prepared = undefined;
    this.#running = service;
    service.send('start');
    service.on('message', () => {
      if (this.#inspect.length === 0) this.#prepared ??= this.#prepare();
    });
    service.on('exit', (code) => {
      if (this.#running === service) print(`The service has ended with code ${code}. It starts after the next change.`);
    });
    return service;
  }

  #prepare() {
    return fork('tools/dev-process.mjs', { execArgv: ['--enable-source-maps', ...this.#inspect] });
  }

  async #endService() {
    const service = this.#running;
    this.#running = undefined;
    if (!service || service.exitCode !== null || service.signalCode !== null) return;
    service.kill('SIGINT');
    const overdue = setTimeout(() => service.kill('SIGKILL'), STOP_LIMIT_MS);
    await once(service, 'exit');
    clearTimeout(overdue);
  }
}

/** The database of the settings: an embedded PostgreSQL, which is started, or that of DATABASE_URL. */
async function openDatabase() {
  const { loadConfig } = await import('../dist/src/platform/config/load-config.js');
  const database = await import('../dist/src/open-database.js');
  try {
    return await database.openDatabase(await loadConfig());
  } catch (error) {
    for (const line of error.errors ?? [error.message]) print(line);
    process.exit(1);
  }
}

function print(line) {
  process.stderr.write(`${line}\n`);
}

await new DevelopmentService().start();
