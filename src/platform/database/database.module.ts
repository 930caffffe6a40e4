import { type DynamicModule, Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Sql } from '../../../packages/sql/src/sql.js';
import { Config } from '../config/config.js';
import { AmbientTransaction } from './ambient-transaction.js';
import { Cluster } from './cluster.js';
import { CopyStreams } from './copy-streams.js';
import { type MigrationClass, openDataSource, openReplica } from './data-source.js';
import { Database } from './database.js';
import { DatabaseState } from './database-state.js';
import { DeferredTransactions } from './deferred-transactions.js';
import { Directory } from './directory.js';
import { ErasuresRepository } from './erasures.repository.js';
import { Erasures } from './erasures.js';
import { ReadReplica } from './read-replica.js';
import { StandaloneStatements } from './standalone-statements.js';

/** The database, connected and migrated before any other module starts. */
@Global()
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  /** @param readUrl of a replica, for reads of tables */
  static with(url: string, migrations: MigrationClass[], readUrl?: string): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        AmbientTransaction,
        CopyStreams,
        {
          provide: Database,
          inject: [DataSource, AmbientTransaction, Cluster],
          useFactory: async (source: DataSource, ambient: AmbientTransaction, cluster: Cluster) =>
            new Database(source, ambient, await cluster.isDistributed()),
        },
        { provide: Sql, useExisting: Database },
        DatabaseState,
        DeferredTransactions,
        Directory,
        Erasures,
        ErasuresRepository,
        StandaloneStatements,
        Cluster,
        {
          provide: ReadReplica,
          inject: [Config, AmbientTransaction],
          useFactory: (config: Config, ambient: AmbientTransaction) =>
            new ReadReplica(ambient, readUrl ? () => openReplica(config, readUrl) : undefined),
        },
        {
          provide: DataSource,
          inject: [Config],
          useFactory: (config: Config) => openDataSource(config, url, migrations),
        },
      ],
      exports: [
        Cluster,
        CopyStreams,
        Database,
        DatabaseState,
        DeferredTransactions,
        Directory,
        Erasures,
        ReadReplica,
        Sql,
        StandaloneStatements,
      ],
    };
  }

  constructor(private readonly dataSource: DataSource) {}

  /** Runs after the HTTP server has drained. */
  async onApplicationShutdown(): Promise<void> {
    await this.dataSource.destroy();
  }
}
