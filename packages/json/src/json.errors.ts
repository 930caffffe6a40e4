import { ALL_REQUESTS, defineErrors } from '../../errors/src/error-definition.js';

export const JSON_ERRORS = defineErrors(ALL_REQUESTS, {
  malformed_json: {
    kind: 'malformed',
    message: 'The JSON is malformed at line 1, column 13: found the end at name, expected "," or "}".',
    meaning:
      'The JSON of the body is truncated, has a syntax error, a duplicate key or too many levels, or is not UTF-8.',
    remedy: 'Let a JSON library write the body; the message contains the position.',
  },
  duplicate_key: {
    meaning: 'An object of the body contains a key twice. Most parsers would silently use the last value.',
    remedy: 'Send each key once; the message contains its position.',
  },
  too_many_objects: {
    kind: 'too_large',
    message: 'The body exceeds the limit of 100000 objects and arrays of this route. Send less in one request.',
    meaning: 'The body contains more objects and lists, or fields and elements, than `details.limit`.',
    remedy: 'Send several smaller requests.',
  },
});
