import { isUtf8 } from 'node:buffer';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import type { BodyOptions } from './body.decorators.js';
import { parseJsonBytes } from '../../../packages/json/src/json-parser.js';
import { type Charset, isUtf8Charset } from './charset.js';
import { JsonScanner, type StructureLimits } from '../../../packages/json/src/json-scanner.js';
import { DTO_LIMITS, MAX_DEPTH } from '../../../packages/json/src/json-structure.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { JSON_ERRORS } from '../../../packages/json/src/json.errors.js';

const MIB = 1024 * 1024;

/**
 * Rows and records are not validated as one DTO. A request may have tens of thousands of rows, and an escape in a row
 * six bytes.
 */
const BULK_LIMITS: StructureLimits = {
  depth: MAX_DEPTH,
  keys: 50_000,
  containers: 250_000,
  values: 2_500_000,
  text: 8 * MIB,
};

export function structureLimits({ limit }: BodyOptions): StructureLimits {
  return limit === 'bulk' ? BULK_LIMITS : DTO_LIMITS;
}

/**
 * Parses a body; numbers that a double would round become their text if the route takes exact numbers.
 *
 * @param scanner has scanned a body in UTF-8.
 * @throws {DomainError} `malformed_json`, and errors of limits
 */
export async function parseBody(
  sent: Buffer,
  charset: Charset,
  scanner: JsonScanner,
  options: BodyOptions,
): Promise<object> {
  const bytes = toUtf8(sent, charset);
  if (bytes === undefined) {
    const message = `The body is not valid ${charset.name.toUpperCase()}.`;
    throw new DomainError(JSON_ERRORS.malformed_json, message);
  }
  if (bytes !== sent) scanner.add(bytes);
  const value = await parseJsonBytes(bytes, scanner, options);
  requireObject(value, options.shape);
  const { roundedField } = options;
  if (roundedField === undefined || !scanner.hasRoundedNumbers || !Object.hasOwn(value, roundedField)) return value;
  const rounded = (await parseJsonBytes(bytes, scanner, {})) as Record<string, unknown>;
  return { ...value, [roundedField]: rounded[roundedField] };
}

/** @returns undefined if the bytes are not text in the charset */
function toUtf8(sent: Buffer, charset: Charset): Buffer | undefined {
  if (isUtf8Charset(charset)) return isUtf8(sent) ? sent : undefined;
  const text = charset.decode(sent);
  return text === undefined ? undefined : Buffer.from(text);
}

/** Lists and single values are JSON, but no route accepts them as its body. */
function requireObject(body: unknown, shape = 'a JSON object'): asserts body is object {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return;
  const [definition, actual] = Array.isArray(body)
    ? [HTTP_ERRORS.invalid_request, 'a list']
    : [JSON_ERRORS.malformed_json, body === null ? 'null' : `a ${typeof body}`];
  throw new DomainError(definition, `The body must be ${shape}, not ${actual}.`);
}
