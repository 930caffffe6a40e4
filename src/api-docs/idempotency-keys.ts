import type { OpenAPIObject } from '@nestjs/swagger';
import { formatCount } from '../platform/config/limits.js';
import { RESPONSE_TTL_S } from '../platform/http/idempotency/idempotency-keys.repository.js';
import { NO_IDEMPOTENCY_KEY_EXTENSION } from '../platform/http/idempotency/no-idempotency-key.decorator.js';
import { type Operation, operationsOf } from './operations.js';

const NAME = 'Idempotency-Key';

const PARAMETER = {
  name: NAME,
  in: 'header',
  required: false,
  description:
    `A text that is unique per request, such as a UUID. Repeating the request with the same key, within ${formatCount(RESPONSE_TTL_S / 3_600, 'hours')}, ` +
    'has no second effect and returns the first response, with `Idempotent-Replayed: true`. After an error the key can be used again.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

/** Documents `Idempotency-Key` for every POST without `@NoIdempotencyKey()`. */
export function declareIdempotencyKeys(document: OpenAPIObject): void {
  const posts = new Set<unknown>(Object.values(document.paths).map(({ post }) => post));
  for (const operation of operationsOf(document).filter((each) => posts.has(each))) {
    if (operation[NO_IDEMPOTENCY_KEY_EXTENSION]) delete operation[NO_IDEMPOTENCY_KEY_EXTENSION];
    else declare(operation);
  }
}

export function acceptsIdempotencyKey({ parameters = [] }: Operation): boolean {
  return parameters.some(({ name }) => name === NAME);
}

function declare(operation: Operation): void {
  operation.parameters = [...(operation.parameters ?? []), PARAMETER];
}
