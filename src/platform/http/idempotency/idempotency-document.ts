import { type OpenAPIObject, getSchemaPath } from '@nestjs/swagger';
import { ErrorDto } from '../error.dto.js';
import { NO_IDEMPOTENCY_KEY_EXTENSION } from './no-idempotency-key.decorator.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['post']>;
type Response = Exclude<Operation['responses'][string], { $ref: string } | undefined>;

const PARAMETER: NonNullable<Operation['parameters']>[number] = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A text that is unique per request, such as a UUID. Repeating the request with the same key, within 24 hours by default, ' +
    'has no second effect and returns the first response. After an error the key can be used again.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

const REPLAYED = {
  description: '`true` if this is the stored response of an earlier request.',
  schema: { type: 'string' as const, enum: ['true'] },
};

const ERRORS = {
  409: 'A request with the same `Idempotency-Key` is still running. Retry after `Retry-After` seconds.',
  422: 'The `Idempotency-Key` was used for another request. Nothing was done.',
};

/** Documents `Idempotency-Key` for every POST without `@NoIdempotencyKey()`. */
export function declareIdempotencyKeys(document: OpenAPIObject): void {
  for (const { post } of Object.values(document.paths)) {
    if (!post) continue;
    if (NO_IDEMPOTENCY_KEY_EXTENSION in post) delete post[NO_IDEMPOTENCY_KEY_EXTENSION];
    else declare(post);
  }
}

function declare(operation: Operation): void {
  operation.parameters = [...(operation.parameters ?? []), PARAMETER];
  for (const [status, response] of Object.entries(operation.responses) as [string, Response][]) {
    if (status.startsWith('2')) response.headers = { ...response.headers, 'Idempotent-Replayed': REPLAYED };
  }
  for (const [status, description] of Object.entries(ERRORS)) {
    const own = operation.responses[status] as Response | undefined;
    const content = { 'application/json': { schema: { $ref: getSchemaPath(ErrorDto) } } };
    operation.responses[status] = {
      content,
      ...own,
      description: own ? `${own.description} Or: ${description}` : description,
    };
  }
}
