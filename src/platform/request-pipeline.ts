import type { Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { RequestBodyGuard } from './body/request-body.guard.js';
import { DeprecationHeadersGuard } from './http/deprecation-headers.guard.js';
import { ErrorFilter } from './http/error.filter.js';
import { EnvelopeMessageGuard } from './http/envelope-message.guard.js';
import { UnknownQueryGuard } from './http/unknown-query.guard.js';
import { dtoValidation } from './http/validation/validation.pipe.js';
import { AccessGuard } from './security/access.guard.js';
import { RateLimitGuard } from './throttling/rate-limit.guard.js';

/**
 * The stages that every request passes, in this order. Nest runs global guards and pipes in the order of their
 * registration, and those of a route after them. Nothing else registers a global one, and there are no global
 * interceptors (docs/explanation/performance.md#replies). The middleware before the guards is in application.ts, as is
 * the adapter that sends the reply.
 */
export const REQUEST_PIPELINE: Provider[] = [
  // Guards
  { provide: APP_GUARD, useClass: EnvelopeMessageGuard },
  { provide: APP_GUARD, useClass: DeprecationHeadersGuard },
  { provide: APP_GUARD, useClass: AccessGuard },
  // Repeated after the access guard, because the path of a successor may contain the caller's workspace.
  { provide: APP_GUARD, useClass: DeprecationHeadersGuard },
  { provide: APP_GUARD, useClass: RateLimitGuard },
  { provide: APP_GUARD, useClass: UnknownQueryGuard },
  { provide: APP_GUARD, useClass: RequestBodyGuard },

  { provide: APP_PIPE, useValue: dtoValidation },

  { provide: APP_FILTER, useClass: ErrorFilter },
];
