import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

/** Metadata key of POST routes that ignore `Idempotency-Key`. */
export const NO_IDEMPOTENCY_KEY = Symbol('no-idempotency-key');

/** Marks these routes in the OpenAPI document. */
export const NO_IDEMPOTENCY_KEY_EXTENSION = 'x-no-idempotency-key';

/**
 * The POST route ignores `Idempotency-Key`, because its response must not be stored, for example tokens, or concerns
 * only the session.
 */
export function NoIdempotencyKey(): MethodDecorator {
  return applyDecorators(SetMetadata(NO_IDEMPOTENCY_KEY, true), ApiExtension(NO_IDEMPOTENCY_KEY_EXTENSION, true));
}
