import type { Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import type { Reservation } from './body/byte-budget.js';
import { RequestBodyGuard } from './body/request-body.guard.js';
import type { TemporaryFileQuota } from './body/temporary-files.js';
import type { Upload } from './body/upload.js';
import { ReplyMetadataGuard } from './http/reply-metadata.guard.js';
import { ErrorFilter, type SendFailure } from './http/error.filter.js';
import type { FailureHook } from './http/handler-hooks.js';
import { UnknownQueryGuard } from './http/unknown-query.guard.js';
import type { Validation } from './http/validation/request-errors.js';
import { dtoValidation } from './http/validation/validation.pipe.js';
import { AccessGuard } from './security/access.guard.js';
import type { Identity, Principal } from './security/principal.js';
import { RateLimitGuard } from './throttling/rate-limit.guard.js';

declare module 'http' {
  /** The state of a request: what the middleware and the stages below store in it, for each other and for handlers. */
  interface IncomingMessage {
    /** Identifies the request in the response, in the log and in every error. */
    requestId: string;
    /** As `requestId`, but never one that the caller sent. */
    ownRequestId?: string;
    /** The form of errors, also of those before a route is found; undefined for that of the service. */
    sendFailure?: SendFailure;
    /** The form of the error of a path without a route; undefined for that of other errors. */
    sendUnknownPath?: SendFailure;
    handlerEndHooks?: (() => void)[];
    failureHooks?: FailureHook[];
    /** States whether the request waits for what is not work of the instance (`pauseRequest`). */
    setWaiting?: (isWaiting: boolean) => void;

    /** The `message` of the envelope around the result of the handler; undefined without an envelope. */
    envelopeMessage?: string;
    /** Is a result sent as JSON without the envelope, as the protocol of the request requires? */
    isBare?: boolean;

    /** Set by the access guard before its checks, except on public routes. */
    identity?: Identity;
    /** Set by the access guard, except on public routes. */
    principal?: Principal;
    /** The tool that an assistant calls by the request, for the audit log. */
    tool?: string;
    /**
     * Repeats the checks of the access guard, and sets `identity` and `principal` again. Set by the access guard,
     * except on public routes.
     */
    renewCaller?: () => Promise<void>;

    /**
     * The memory of the body; undefined as soon as the body is complete, and its memory is used until the end of the
     * handler.
     */
    bodyMemory?: Reservation;
    /** Hash of the body, if the request has an Idempotency-Key. */
    bodyDigest?: string;
    /** The files of the body, on routes that accept files. */
    uploads?: Upload[];
    /** The temporary files that contain them. */
    temporaryFiles?: TemporaryFileQuota;

    /** The validations of the parameters of the handler. */
    validations?: Validation[];
  }
}

/**
 * The stages that every request passes, in this order. Nest runs global guards and pipes in the order of their
 * registration, and those of a route after them. Nothing else registers a global one, and there are no global
 * interceptors (docs/explanation/performance.md#replies). The middleware before the guards is in application.ts, as is
 * the adapter that sends the reply.
 */
export const REQUEST_PIPELINE: Provider[] = [
  // Guards
  { provide: APP_GUARD, useClass: ReplyMetadataGuard },
  { provide: APP_GUARD, useClass: AccessGuard },
  // Repeated after the access guard, because the path of a successor may contain the caller's workspace.
  { provide: APP_GUARD, useClass: ReplyMetadataGuard },
  { provide: APP_GUARD, useClass: RateLimitGuard },
  { provide: APP_GUARD, useClass: UnknownQueryGuard },
  { provide: APP_GUARD, useClass: RequestBodyGuard },

  { provide: APP_PIPE, useValue: dtoValidation },

  { provide: APP_FILTER, useClass: ErrorFilter },
];
