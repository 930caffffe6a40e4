import { Global, Module } from '@nestjs/common';
import { Background } from './background.js';

/** Work that goes on beside the requests. */
@Global()
@Module({ providers: [Background], exports: [Background] })
export class BackgroundModule {}
