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
  assistant_not_permitted: {
    kind: 'forbidden',
    message: 'Assistants may only read in this workspace: its setting "assistants" is not "propose".',
    meaning: 'The setting `assistants` of the workspace permits only tools that read, or none (`off`).',
    remedy: 'Use another workspace, or ask an owner of this one to change the setting.',
  },
  answer_too_large: {
    kind: 'unprocessable',
    message: 'The answer has 93,184 bytes; the limit is 65,536.',
    meaning: 'The result of a tool is larger than an answer may be, although its texts were cut.',
    remedy: 'Send a smaller `limit`, name the columns in `fields`, or add conditions to `filter`.',
  },
});

/** What a model does next, of errors whose remedy needs more than the tools. */
export const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['invalid_rows', 'Correct the rows that `details.errors` lists.'],
  ['not_found', 'Correct the argument that `details.errors` lists.'],
  ['note_archived', 'Ask a person to restore the note.'],
]);

export function originNotAllowedError(origin: string): DomainError {
  const message = `The origin "${origin.slice(0, 100)}" may not call assistants. The operator lists it in CORS_ORIGINS.`;
  return new DomainError(ASSISTANT_ERRORS.origin_not_allowed, message);
}

export function answerTooLargeError(limit: number, actual: number, names: readonly string[]): DomainError {
  const remedy = `Narrow it by ${['limit', 'fields', 'filter'].filter((name) => names.includes(name)).join(', ')}.`;
  const message = `The answer has ${formatCount(actual, 'bytes')}; the limit is ${limit.toLocaleString('en-US')}.`;
  return new DomainError({ ...ASSISTANT_ERRORS.answer_too_large, remedy }, message, { details: { limit, actual } });
}
