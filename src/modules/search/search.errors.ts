import { DomainError, toErrorDetails, UnavailableError } from '../../../packages/errors/src/domain-error.js';
import { createSection, defineErrors } from '../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { QUERY_ERRORS } from '../../../packages/tables/src/catalog/query.errors.js';

export const SEARCH_ERRORS = defineErrors(createSection('Search', 'search'), {
  no_words: {
    meaning: 'The searched text contains no word: `q` has neither letters nor digits.',
    remedy: 'Send a word, the beginning of a word, or a key.',
  },
  too_many_words: {
    meaning:
      'The number of different words in `q` exceeds the limit in the message. A key may consist of several words.',
    remedy: 'Send the words that distinguish what you look for.',
  },
});

/** `q` is not a text that can be searched. */
export class InvalidSearchError extends DomainError {
  constructor(code: keyof typeof SEARCH_ERRORS, message: string) {
    super(HTTP_ERRORS.invalid_request, message, { details: toErrorDetails([{ field: 'q', code, message }]) });
  }
}

export class SearchTooExpensiveError extends UnavailableError {
  constructor(timeoutS: number) {
    const message = `The search took longer than ${timeoutS} seconds. Send more or longer words, or name kinds or tables.`;
    super(QUERY_ERRORS.query_too_expensive, message);
  }
}
