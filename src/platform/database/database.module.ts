import { type DynamicModule, Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../config/config.js';
import { Cluster } from './cluster.js';
import { DatabaseLayout } from './database-layout.js';
import { type MigrationClass, openDataSource } from './data-source.js';
import { Database } from './database.js';
import { Directory } from './directory.js';
import { ReadReplica } from './read-replica.js';

/** The database, connected and migrated before any other module starts. */
@Global()
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  /** @param readUrl of a replica, for reads of tables */
  static with(url: string, migrations: MigrationClass[], readUrl?: string): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        Database,
        Directory,
        Cluster,
        {
          provide: ReadReplica,
          inject: [Config],
          useFactory: (config: Config) => new ReadReplica(config, readUrl),
        },
        {
          provide: DatabaseLayout,
          inject: [Cluster],
          useFactory: async (cluster: Cluster) => new DatabaseLayout(await cluster.isDistributed()),
        },
        {
          provide: DataSource,
          inject: [Config],
          useFactory: (config: Config) => openDataSource(config, url, migrations),
        },
      ],
      exports: [Database, DatabaseLayout, Directory, Cluster],
    };
  }

  constructor(private readonly dataSource: DataSource) {}

  /** Runs after the HTTP server has drained. */
  async onApplicationShutdown(): Promise<void> {
    await this.dataSource.destroy();
  }
}
