import { type OpenAPIObject, getSchemaPath } from '@nestjs/swagger';
import { ErrorDto } from '../error.dto.js';
import { NO_IDEMPOTENCY_KEY_EXTENSION } from './no-idempotency-key.decorator.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['post']>;
type Answer = Exclude<Operation['responses'][string], { $ref: string } | undefined>;

const PARAMETER: NonNullable<Operation['parameters']>[number] = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Any text that is new for each request, such as a UUID. The same request sent again with the same key, within 24 hours ' +
    'by default, has no second effect and is given the first answer. After a refusal the key is free again.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

const REPLAYED = {
  description: '`true` where this is the answer that the same request was given before.',
  schema: { type: 'string' as const, enum: ['true'] },
};

const REFUSALS = {
  409: 'The same request, with the same `Idempotency-Key`, is still under way; try again after `Retry-After` seconds.',
  422: 'The `Idempotency-Key` was sent with another request; nothing was done.',
};

/** Every POST takes an `Idempotency-Key`, but those that say they do not. */
export function declareIdempotencyKeys(document: OpenAPIObject): void {
  for (const { post } of Object.values(document.paths)) {
    if (!post) continue;
    if (NO_IDEMPOTENCY_KEY_EXTENSION in post) delete post[NO_IDEMPOTENCY_KEY_EXTENSION];
    else declare(post);
  }
}

function declare(operation: Operation): void {
  operation.parameters = [...(operation.parameters ?? []), PARAMETER];
  for (const [status, answer] of Object.entries(operation.responses) as [string, Answer][]) {
    if (status.startsWith('2')) answer.headers = { ...answer.headers, 'Idempotent-Replayed': REPLAYED };
  }
  for (const [status, text] of Object.entries(REFUSALS)) {
    const own = operation.responses[status] as Answer | undefined;
    const content = { 'application/json': { schema: { $ref: getSchemaPath(ErrorDto) } } };
    operation.responses[status] = { content, ...own, description: own ? `${own.description} Or: ${text}` : text };
  }
}
