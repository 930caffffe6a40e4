import type { Request } from 'express';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { InvalidODataQueryError } from './odata.errors.js';
import { MAX_PAGE_ROWS } from './query-options.js';

/** How much the responses describe themselves: `none` omits what a client can derive. */
export type MetadataLevel = 'minimal' | 'none';

/** What the client wants to know, and how much of it at a time (OData 4.0, part 1, section 8.2.8). */
export interface Preferences {
  pageRows: number;
  /** Should the last page have a link to later changes? */
  trackChanges: boolean;
  /** The header `Preference-Applied`. */
  applied: string | undefined;
}

/** Formats by the names of `$format`. */
const SHORT_FORMATS: ReadonlyMap<string, string> = new Map([
  ['json', 'application/json'],
  ['xml', 'application/xml'],
]);

const AVAILABLE = 'application/json;odata.metadata=minimal, application/json;odata.metadata=none';

/**
 * The level of metadata that `$format` or `Accept` asks for; `minimal` if they accept any.
 *
 * @throws {DomainError} `not_acceptable`
 */
export function negotiateLevel({ headers, query }: Request): MetadataLevel {
  const { $format: format } = query;
  const accept = typeof format === 'string' ? (SHORT_FORMATS.get(format) ?? format) : (headers.accept ?? '*/*');
  const ranges = accept
    .split(',')
    .map(parseRange)
    .filter(({ weight }) => weight > 0);
  for (const { type, level } of ranges.toSorted((a, b) => b.weight - a.weight)) {
    if (type === '*/*' || type === 'application/*') return 'minimal';
    if (type === 'application/json' && level !== 'full') return level === 'none' ? 'none' : 'minimal';
  }
  throw new DomainError(
    HTTP_ERRORS.not_acceptable,
    `Accept or $format contains none of the available media types: ${AVAILABLE}.`,
  );
}

/**
 * `$format` of `$metadata` must be XML. `Accept` is ignored, because clients send that of their data with it.
 *
 * @throws {DomainError} `not_acceptable`
 */
export function requireXml({ query: { $format: format } }: Request): void {
  if (typeof format !== 'string' || /^(?:xml|application\/xml)(?:;|$)/i.test(format)) return;
  const message = `$format of $metadata is "${format.slice(0, 60)}", but it is only available as application/xml.`;
  throw new DomainError(HTTP_ERRORS.not_acceptable, message);
}

function parseRange(range: string): { type: string; level: string; weight: number } {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const find = (...names: string[]) =>
    parameters.flatMap((each) =>
      names.flatMap((name) => (each.startsWith(`${name}=`) ? [each.slice(name.length + 1)] : [])),
    )[0];
  const weight = Number(find('q') ?? 1);
  return { type, level: find('odata.metadata', 'metadata') ?? 'minimal', weight: Number.isNaN(weight) ? 1 : weight };
}

/** @throws {InvalidODataQueryError} */
export function parsePreferences({ headers }: Request): Preferences {
  const preferences = [headers['prefer'] ?? []]
    .flat()
    .join(',')
    .split(/[,;]/)
    .map((each) => each.trim());
  const find = (name: string) =>
    preferences.find((each) => new RegExp(`^(?:odata\\.)?${name}\\s*(?:=|$)`, 'i').test(each));
  const size = find('maxpagesize');
  const trackChanges = find('track-changes') !== undefined;
  const requested = size === undefined ? undefined : parsePageSize(size);
  const pageRows = requested ?? MAX_PAGE_ROWS;
  const applied = requested === undefined ? undefined : `odata.maxpagesize=${pageRows}`;
  return { pageRows, trackChanges, applied };
}

/**
 * A larger page than the largest one is not an error: the server may send smaller pages.
 *
 * @returns undefined for 0, a preference that is ignored.
 */
function parsePageSize(preference: string): number | undefined {
  const [, text = ''] = /=\s*"?(\d{1,16})"?$/.exec(preference) ?? [];
  const size = Number(text);
  if (text !== '' && size === 0) return undefined;
  if (size >= 1) return Math.min(size, MAX_PAGE_ROWS);
  throw new InvalidODataQueryError(
    'Prefer',
    `"${preference.slice(0, 60)}" is not a page size. Send maxpagesize=1 to ${MAX_PAGE_ROWS}.`,
  );
}
