import type { Provider, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Database } from './database.js';

/**
 * Provides a repository whose statements on a cluster are others. Only for frequent requests: one statement of a single server takes less time
 * than the several that a cluster accepts (ADR 0156).
 */
export function provideRepository<T>(repository: Type<T>, onCluster: Type<T>): Provider {
  return {
    provide: repository,
    inject: [Database, ModuleRef],
    useFactory: (database: Database, module: ModuleRef) =>
      module.create(database.isDistributed ? onCluster : repository),
  };
}
