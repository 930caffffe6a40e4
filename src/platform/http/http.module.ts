import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { BodyMemory, BodyRelease } from './body-memory.js';
import { EnvelopeInterceptor } from './envelope.js';
import { ErrorFilter } from './error.filter.js';
import { dtoValidation } from './validation.pipe.js';

/** What every route shares: bounded bodies, validation, envelope, one shape of error. */
@Global()
@Module({
  providers: [
    BodyMemory,
    { provide: APP_PIPE, useValue: dtoValidation },
    { provide: APP_INTERCEPTOR, useClass: BodyRelease },
    { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
  exports: [BodyMemory],
})
export class HttpModule {}
