import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { createSection, defineErrors } from '../../../packages/errors/src/error-definition.js';
import { formatCount } from '../../platform/config/limits.js';

export const ASSISTANT_ERRORS = defineErrors(createSection('Assistants', 'connecting-an-assistant'), {
  origin_not_allowed: {
    kind: 'forbidden',
    message: 'The origin "https://example.com" may not call assistants. The operator lists it in CORS_ORIGINS.',
    meaning: 'A web page of another origin has sent a request to `/mcp`.',
    remedy: 'Connect the assistant without a browser, or let the operator list the origin in `CORS_ORIGINS`.',
  },
  answer_too_large: {
    kind: 'unprocessable',
    message: 'The answer has 93,184 bytes; the limit is 65,536.',
    meaning: 'The result of a tool is larger than an answer may be.',
    remedy: 'Send a smaller `limit`, name the columns in `fields`, or add conditions to `filter`.',
  },
});

/** A web page of another origin may not use the credentials of its reader. */
export function originNotAllowedError(origin: string): DomainError {
  const message = `The origin "${origin.slice(0, 100)}" may not call assistants. The operator lists it in CORS_ORIGINS.`;
  return new DomainError(ASSISTANT_ERRORS.origin_not_allowed, message);
}

export function answerTooLargeError(limit: number, actual: number, names: readonly string[]): DomainError {
  const known = ['limit', 'fields', 'filter'].filter((name) => names.includes(name)).join(', ');
  const remedy = known === '' ? 'Read single columns by query_rows with `fields`.' : `Narrow it by ${known}.`;
  const message = `The answer has ${formatCount(actual, 'bytes')}; the limit is ${limit.toLocaleString('en-US')}.`;
  return new DomainError({ ...ASSISTANT_ERRORS.answer_too_large, remedy }, message, { details: { limit, actual } });
}
