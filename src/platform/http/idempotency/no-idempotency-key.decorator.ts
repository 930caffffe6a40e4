import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

/** Metadata key under which a POST route says that it takes no `Idempotency-Key`. */
export const NO_IDEMPOTENCY_KEY = Symbol('no-idempotency-key');

/** The same, where the document is written. */
export const NO_IDEMPOTENCY_KEY_EXTENSION = 'x-no-idempotency-key';

/** The POST route ignores `Idempotency-Key`: what it answers must not be kept, such as tokens. */
export function NoIdempotencyKey(): MethodDecorator {
  return applyDecorators(SetMetadata(NO_IDEMPOTENCY_KEY, true), ApiExtension(NO_IDEMPOTENCY_KEY_EXTENSION, true));
}
