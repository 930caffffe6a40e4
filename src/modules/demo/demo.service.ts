import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { ApiKeysService } from '../auth/api-keys.service.js';
import { type ClientCredentials, ClientsService } from '../auth/clients.service.js';
import { DemoPlace, type Place } from './demo-credentials.js';

/** Any constant that no other lock has. */
const DEMO_LOCK = 7_205_114;

/** How long a service on this machine may take to say that it is there. */
const ANSWER_TIMEOUT_MS = 1_000;

/** What `DATA_DIR/demo-credentials.json` holds. */
export interface DemoCredentials extends Place, ClientCredentials {
  baseUrl: string;
  apiKey: string;
}

/** A workspace with a project, a user, client credentials and an API key, for the first minutes with the service. */
@Injectable()
export class DemoService {
  private readonly file: string;

  constructor(
    private readonly database: Database,
    private readonly place: DemoPlace,
    private readonly clients: ClientsService,
    private readonly apiKeys: ApiKeysService,
    config: Config,
  ) {
    this.file = join(config.dataDir, 'demo-credentials.json');
  }

  /**
   * Makes the demo on the first boot; later only the address in its file changes, where the service has moved. Of two
   * services that start at once on one database, the second finds what the first has made, and while a service answers
   * at the address in the file, another beside it leaves that as it is.
   */
  async ensure(baseUrl: string): Promise<DemoCredentials> {
    return this.database.transaction(async () => {
      await this.database.query('SELECT pg_advisory_xact_lock($1)', [DEMO_LOCK]);
      const kept = await this.read();
      const known = kept && (await this.place.exists(kept.workspaceId));
      if (known && kept.baseUrl !== baseUrl && (await answers(kept.baseUrl))) return kept;
      const demo = { ...(known ? kept : await this.create()), baseUrl };
      await this.write(demo);
      return demo;
    });
  }

  private async create(): Promise<Omit<DemoCredentials, 'baseUrl'>> {
    const place = await this.place.ensure();
    const client = await this.clients.create(place.userId);
    const { apiKey } = await this.apiKeys.create(place.userId, place.workspaceId);
    return { ...place, ...client, apiKey };
  }

  private async read(): Promise<DemoCredentials | undefined> {
    try {
      return JSON.parse(await readFile(this.file, 'utf8')) as DemoCredentials;
    } catch {
      return undefined;
    }
  }

  /** Whole or not at all: a service that is killed meanwhile leaves the file as it was. */
  private async write(demo: DemoCredentials): Promise<void> {
    const draft = `${this.file}.${process.pid}`;
    await writeFile(draft, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, this.file);
  }
}

async function answers(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/health/live`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })).ok;
  } catch {
    return false;
  }
}
