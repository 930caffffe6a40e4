import { Global, Module } from '@nestjs/common';
import { Cleanup } from './cleanup.js';

/** What is over goes, on a schedule. */
@Global()
@Module({ providers: [Cleanup], exports: [Cleanup] })
export class CleanupModule {}
