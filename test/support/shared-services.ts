import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Database } from './database.js';
import { OperatorClient } from './operator-client.js';
import { environment, freePort, RunningService } from './service.js';
import { requestSupport } from './support-client.js';

/** Added to the default settings: without the limits that many suites together would reach. */
const UNLIMITED = { MAX_SESSIONS_PER_USER: '1000', RATE_LIMIT_PUBLIC: 'off', RATE_LIMIT_PUBLIC_TOGETHER: 'off' };

/**
 * The settings of receivers on this machine, whose deliveries are repeated each second. An attempt may last longer than
 * a busy machine stalls: each one that exceeds its time limit is repeated.
 */
export const DELIVERING = {
  EVENTS_ALLOW_HTTP: 'true',
  EVENTS_ALLOWED_NETWORKS: '127.0.0.1',
  EVENTS_TIMEOUT_MS: '5000',
  EVENTS_RETRY_DELAYS_S: '1,1,1,1,1,1,1,1,1,1,1,1',
};

/** Statements that wait for a lock exceed their time limit before that of the lock. */
export const SHORT_STATEMENTS = { DATABASE_LOCK_TIMEOUT_MS: '60000', DATABASE_STATEMENT_TIMEOUT_MS: '1000' };

/** The limit of sessions per user that the service has by default. */
export const LIMITED_SESSIONS = { MAX_SESSIONS_PER_USER: '10' };

/** Cleanups run each second. They remove only what is older than its retention. */
export const CLEANING = { CLEANUP_INTERVAL_S: '1' };

/**
 * Instances of the service and their database, which suites share: those of a Jest worker the instances with the
 * default settings, and those of all workers the instances with other settings, which few suites need. A start of the
 * service takes two seconds of CPU time, so suites that do not need settings of their own or an empty database use
 * them.
 */
export async function shareServices(
  count = 1,
  settings: Record<string, string> = {},
): Promise<{ services: SharedService[]; database: Database }> {
  const isDefault = Object.keys(settings).length === 0;
  const name = isDefault ? `shared_${process.env['JEST_WORKER_ID']}` : `shared_${hashSettings(settings)}`;
  const database = await Database.share(name);
  const services = await Promise.all(
    Array.from({ length: count }, (_, position) => SharedService.open(database, name, position, settings)),
  );
  return { services, database };
}

function hashSettings(settings: Record<string, string>): string {
  const sorted = Object.entries(settings).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 8);
}

/** The first of the shared services with these settings. */
export async function shareService(
  settings?: Record<string, string>,
): Promise<{ service: SharedService; database: Database }> {
  const { services, database } = await shareServices(1, settings);
  return { service: services[0]!, database };
}

interface Instance {
  env: NodeJS.ProcessEnv;
  pid: number;
  outputPath: string;
  outputStart: number;
}

/** A service that the support server runs. It continues after the suite; what it wrote before the suite is omitted. */
export class SharedService extends RunningService {
  private constructor(
    private readonly key: string,
    private readonly instance: Instance,
  ) {
    super(instance.env);
  }

  /** @param files the folder that all instances with this database use. */
  static async open(
    database: Database,
    files: string,
    position: number,
    settings: Record<string, string>,
  ): Promise<SharedService> {
    const env = { ...process.env, ...environment(database, await freePort()), ...UNLIMITED, ...settings };
    const key = `${files}-${position}`;
    const service = new SharedService(key, await requestSupport<Instance>('share', { key, files, env }));
    await service.waitUntilReady(() => false);
    return service;
  }

  get pid(): number {
    return this.instance.pid;
  }

  get output(): string[] {
    const { outputPath, outputStart } = this.instance;
    const file = openSync(outputPath, 'r');
    try {
      const written = Buffer.alloc(fstatSync(file).size - outputStart);
      readSync(file, written, 0, written.length, outputStart);
      return [written.toString()];
    } finally {
      closeSync(file);
    }
  }

  /** The operator client of this service, which all suites share. */
  async operatorClient(): Promise<OperatorClient> {
    return new OperatorClient(await requestSupport('operator', { key: this.key }));
  }
}
