import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestDatabase } from './database.js';
import { PostgresProcess } from './replicated-postgres.js';

/** Where packages of PostgreSQL for Debian have their programs. */
const VERSIONS = '/usr/lib/postgresql';
const REQUIRED = ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'psql'];

/** The programs of the newest server that is installed with its tools; undefined if none is. */
export function findPostgresPrograms(): string | undefined {
  if (!existsSync(VERSIONS)) return undefined;
  return readdirSync(VERSIONS)
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(VERSIONS, version, 'bin'))
    .find((folder) => REQUIRED.every((program) => existsSync(join(folder, program))));
}

/** A server of that version: the embedded one has no pg_dump, and a pg_dump does not read newer servers. */
export class SystemPostgres {
  private constructor(
    private readonly folder: string,
    private readonly server: PostgresProcess,
  ) {}

  static async start(programs: string): Promise<SystemPostgres> {
    const user = statSync(await TestDatabase.dataDirectory());
    const folder = mkdtempSync(join(tmpdir(), 'atrium-postgres-'));
    const home = join(folder, 'home');
    mkdirSync(home);
    for (const path of [folder, home]) chownSync(path, user.uid, user.gid);
    const server = new PostgresProcess(programs, user, home);
    server.initialize([]);
    await server.start();
    return new SystemPostgres(folder, server);
  }

  /** Creates an empty database. @returns its URL. */
  async create(name: string): Promise<string> {
    await this.server.query(`CREATE DATABASE ${name}`, [], 'postgres');
    return this.server.url.replace('/atrium?', `/${name}?`);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
