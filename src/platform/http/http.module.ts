import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Sql } from '../../../packages/sql/src/sql.js';
import { Config } from '../config/config.js';
import { CopyStreams } from '../database/copy-streams.js';
import { Erasures } from '../database/erasures.js';
import { Jobs } from '../jobs/jobs.js';
import { ExpensiveReads } from './expensive-reads.js';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
import { EffectiveHeaders } from './idempotency/effective-headers.js';
import { IdempotencyKey } from './idempotency/idempotency-key.entity.js';
import { IdempotencyKeys } from './idempotency/idempotency-keys.repository.js';
import { ReplayedBodies } from './idempotency/replayed-bodies.js';
import { IdempotentRoutes } from './idempotency/idempotent-routes.js';

/**
 * Executes requests with an Idempotency-Key once, and limits expensive reads. The guards and the filter of this folder
 * are in request-pipeline.ts.
 */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [
    EffectiveHeaders,
    {
      provide: ExpensiveReads,
      inject: [Sql, CopyStreams, Config],
      useFactory: (sql: Sql, copies: CopyStreams, { database }: Config) => new ExpensiveReads(sql, copies, database),
    },
    IdempotencyKeys,
    IdempotencyInterceptor,
    IdempotentRoutes,
    ReplayedBodies,
  ],
  exports: [EffectiveHeaders, ExpensiveReads, IdempotencyKeys, ReplayedBodies],
})
export class HttpModule implements OnModuleInit {
  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly jobs: Jobs,
    private readonly erasures: Erasures,
  ) {}

  onModuleInit(): void {
    this.jobs.cleanUp('expired idempotency keys', (batch) => this.keys.removeExpired(batch));
    this.erasures.registerRows(IdempotencyKey, ({ userId }, bind) => ({ condition: `t.caller = ${bind(userId)}` }));
  }
}
