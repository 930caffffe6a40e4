import { SetMetadata } from '@nestjs/common';

export const EFFECTIVE_HEADER = Symbol('effectiveHeader');

/**
 * A header that changes the effect of the route: a request with another value is another request, so its `Idempotency-Key` must differ.
 *
 * @param name in lower case.
 */
export const EffectiveHeader = (name: string) => SetMetadata(EFFECTIVE_HEADER, name);
