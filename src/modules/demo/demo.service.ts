import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { DemoAccess, type DemoAccessKeys } from './demo-access.js';
import { DemoContent } from './demo-content.js';
import { type DemoIds, DemoWorkspace } from './demo-workspace.js';
import { DemoRepository } from './demo.repository.js';
import { parseStoredJson } from '../../../packages/sql/src/stored-json.js';

/** Timeout of the request that checks for another running instance. */
const LIVENESS_TIMEOUT_MS = 1_000;

/** The content of `DATA_DIR/demo-credentials.json`. */
export interface DemoCredentials extends DemoIds, DemoAccessKeys {
  baseUrl: string;
}

/** The demo of a first start: a workspace with content, users, client credentials and an API key. */
@Injectable()
export class DemoService {
  private readonly file: string;
  /** Undefined unless this instance uses the embedded database. */
  private present: DemoCredentials | undefined;

  constructor(
    private readonly database: Database,
    private readonly repository: DemoRepository,
    private readonly workspace: DemoWorkspace,
    private readonly content: DemoContent,
    private readonly access: DemoAccess,
    config: Config,
  ) {
    this.file = join(config.dataDir, 'demo-credentials.json');
  }

  /**
   * Creates the demo on the first start. A later start updates only the URL in the file, unless the instance at the
   * present URL is running.
   */
  async ensure(baseUrl: string): Promise<DemoCredentials> {
    const stored = await this.read();
    const isCurrent = stored && (await this.workspace.exists(stored.workspaceId));
    if (!isCurrent) await this.createWorkspace();
    this.present = await this.database.transaction(async () => {
      await this.repository.lock();
      return this.ensureCredentials(baseUrl);
    });
    return this.present;
  }

  /** The credentials of the demo; undefined unless this instance uses the embedded database. */
  get credentials(): DemoCredentials | undefined {
    return this.present;
  }

  /** Before the credentials are written, so that a killed first start is repeated. Creates what does not exist yet. */
  private async createWorkspace(): Promise<void> {
    const lockAnd = <T>(work: () => Promise<T>) =>
      this.database.transaction(async () => {
        await this.repository.lock();
        return work();
      });
    const ids = await lockAnd(() => this.workspace.ensure());
    await lockAnd(() => this.content.ensure(ids));
  }

  private async ensureCredentials(baseUrl: string): Promise<DemoCredentials> {
    const stored = await this.read();
    const isCurrent = stored && (await this.workspace.exists(stored.workspaceId));
    if (isCurrent && stored.baseUrl !== baseUrl && (await isRunning(stored.baseUrl))) return stored;
    const demo = { ...(isCurrent ? stored : await this.create()), baseUrl };
    await this.write(demo);
    return demo;
  }

  private async create(): Promise<Omit<DemoCredentials, 'baseUrl'>> {
    const ids = await this.workspace.ensure();
    return { ...ids, ...(await this.access.issue(ids)) };
  }

  private async read(): Promise<DemoCredentials | undefined> {
    try {
      return parseStoredJson(await readFile(this.file, 'utf8')) as DemoCredentials;
    } catch {
      return undefined;
    }
  }

  /** Atomic: a process that is killed while writing leaves the file unchanged. */
  private async write(demo: DemoCredentials): Promise<void> {
    const temporaryFile = `${this.file}.${process.pid}`;
    await writeFile(temporaryFile, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
    await rename(temporaryFile, this.file);
  }
}

async function isRunning(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/health/live`, { signal: AbortSignal.timeout(LIVENESS_TIMEOUT_MS) })).ok;
  } catch {
    return false;
  }
}
