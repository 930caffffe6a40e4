import { Global, Module } from '@nestjs/common';
import { RecordCounters } from './record-counters.js';

/** What the modules of records share at run time. Available in all modules. */
@Global()
@Module({ providers: [RecordCounters], exports: [RecordCounters] })
export class RecordsModule {}
