import { isUtf8 } from 'node:buffer';
import { DomainError } from '../http/domain-error.js';
import type { BodyOptions } from './body.decorators.js';
import { parseJson } from './json-parser.js';
import { JsonScanner, type StructureLimits } from './json-scanner.js';
import { duplicateKeysInSlices, MAX_DEPTH } from './json-structure.js';
import { BODY_ERRORS } from './body.errors.js';
import { HTTP_ERRORS } from '../http/http.errors.js';

const MIB = 1024 * 1024;

/**
 * What validation handles within 100 ms. The largest DTO, an edit of a table, has 1,202 objects and arrays; a query may
 * have 50 filters with 1,000 values each.
 */
const DTO_LIMITS: StructureLimits = {
  depth: MAX_DEPTH,
  keys: 20_000,
  containers: 10_000,
  values: 100_000,
  text: Infinity,
};

/**
 * Rows and records are not validated as one DTO. A request may have tens of thousands of rows of hundreds of columns,
 * and an escape in a row six bytes.
 */
const BULK_LIMITS: StructureLimits = {
  depth: MAX_DEPTH,
  keys: 100_000,
  containers: 500_000,
  values: 10_500_000,
  text: 8 * MIB,
};

export function structureLimits({ limit }: BodyOptions): StructureLimits {
  return limit === 'bulk' ? BULK_LIMITS : DTO_LIMITS;
}

/**
 * Parses a body whose bytes the scanner has counted; numbers that a double would round become their text if the route
 * takes exact numbers.
 *
 * @throws {DomainError} `malformed_json`
 */
export async function parseBody(bytes: Buffer, scanner: JsonScanner, options: BodyOptions): Promise<object> {
  // Invalid UTF-8 would silently become replacement characters.
  if (!isUtf8(bytes)) throw new DomainError(BODY_ERRORS.malformed_json, 'The body is not valid UTF-8.');
  scanner.finish();
  const { value, keys } = await parseJson(bytes, scanner, options);
  requireObject(value, options.shape);
  if (scanner.keys !== keys) throw await duplicateKeysInSlices(bytes);
  return value;
}

/** Lists and single values are JSON, but no route accepts them as its body. */
function requireObject(body: unknown, shape = 'a JSON object'): asserts body is object {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return;
  const [definition, actual] = Array.isArray(body)
    ? [HTTP_ERRORS.invalid_request, 'a list']
    : [BODY_ERRORS.malformed_json, body === null ? 'null' : `a ${typeof body}`];
  throw new DomainError(definition, `The body must be ${shape}, not ${actual}.`);
}
