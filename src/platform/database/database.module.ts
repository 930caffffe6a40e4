import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../config/config.js';
import { Database } from './database.js';
import { type MigrationClass, openDataSource } from './data-source.js';
import { Directory } from './directory.js';
import { EmbeddedPostgres } from '../../embedded-postgres/embedded-postgres.js';

/** The embedded PostgreSQL; null where DATABASE_URL names a server. */
const EMBEDDED = Symbol('embedded-postgres');

/** The database, open and migrated before any module of the service starts. */
@Global()
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  static with(migrations: MigrationClass[]): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        Database,
        Directory,
        {
          provide: EMBEDDED,
          inject: [Config],
          useFactory: (config: Config) =>
            config.database.url ? null : EmbeddedPostgres.start({ dataDir: config.dataDir }),
        },
        {
          provide: DataSource,
          inject: [Config, EMBEDDED],
          useFactory: async (config: Config, embedded: EmbeddedPostgres | null) => {
            try {
              return await openDataSource(config, embedded?.url ?? config.database.url!, migrations);
            } catch (error) {
              await embedded?.stop();
              throw error;
            }
          },
        },
      ],
      exports: [Database, Directory],
    };
  }

  constructor(
    private readonly dataSource: DataSource,
    @Inject(EMBEDDED) private readonly embedded: EmbeddedPostgres | null,
  ) {}

  /** Runs last of all: the server has drained by now. */
  async onApplicationShutdown(): Promise<void> {
    await this.dataSource.destroy();
    await this.embedded?.stop();
  }
}
