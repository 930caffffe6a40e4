import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Database } from './database.js';
import { OperatorClient } from './operator-client.js';
import { environment, freePort, RunningService } from './service.js';
import { requestSupport } from './support-client.js';

/** Default settings, without the limits that many suites together would reach. */
const SETTINGS = { MAX_SESSIONS_PER_USER: '1000', RATE_LIMIT_PUBLIC: 'off', RATE_LIMIT_PUBLIC_TOGETHER: 'off' };

/**
 * Instances of the service and their database, which the suites of a Jest worker share. A start of the service takes
 * two seconds of CPU time, so suites that need neither other settings nor an empty database use these.
 */
export async function shareServices(count = 1): Promise<{ services: SharedService[]; database: Database }> {
  const worker = process.env['JEST_WORKER_ID']!;
  const database = await Database.share(`shared_${worker}`);
  const services = await Promise.all(
    Array.from({ length: count }, (_, position) => SharedService.open(database, `worker-${worker}`, position)),
  );
  return { services, database };
}

/** The first of the shared services. */
export async function shareService(): Promise<{ service: SharedService; database: Database }> {
  const { services, database } = await shareServices();
  return { service: services[0]!, database };
}

interface Instance {
  env: NodeJS.ProcessEnv;
  pid: number;
  operator: string;
  outputPath: string;
  outputStart: number;
}

/** A service that the support server runs. It continues after the suite; what it wrote before the suite is omitted. */
export class SharedService extends RunningService {
  private constructor(private readonly instance: Instance) {
    super(instance.env);
  }

  /** @param files the folder that all instances with this database use. */
  static async open(database: Database, files: string, position: number): Promise<SharedService> {
    const env = { ...process.env, ...environment(database, await freePort()), ...SETTINGS };
    const wanted = { key: `${files}-${position}`, files, env };
    const service = new SharedService(await requestSupport<Instance>('share', wanted));
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
  operatorClient(): Promise<OperatorClient> {
    return Promise.resolve(new OperatorClient(this.instance.operator));
  }
}
