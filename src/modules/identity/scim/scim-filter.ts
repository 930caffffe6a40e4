import { normalizeEmail } from '../../../platform/http/validation/email.decorator.js';
import { ScimError } from './scim.errors.js';

/**
 * Filters and names of attributes, checked before `scimmy` parses them. Its time doubles with each line break or
 * backslash of a text that is not closed, and with each group.
 */

const MAX_LENGTH = 1_000;

/** `and`, `or` and `not`. Groups of four comparisons have at most six alternatives, those of nine 216. */
const MAX_OPERATORS = 4;

const MAX_NAMES = 50;

const TEXT = /"[^"]*"/g;

/** `scimmy` ends a group at the first of them, also within a text. */
const BRACKET = /[()[\]]/;

/** It recognizes operators also directly after a text or a number. */
const OPERATOR = /(?:and|or|not)(?![a-z0-9])/gi;

/** Comparisons with values that are email addresses, or IDs of members. */
const ADDRESS = /(\b(?:userName|emails|value)\s+\w\w\s+)"([^"]*)"/gi;

const NAME = /^[\w$.:-]+$/;

/** A filter, whose email addresses have the stored form. @throws {ScimError} */
export function readFilter(filter: string): string {
  if (filter.length > MAX_LENGTH) throw reject(`A filter has at most ${MAX_LENGTH} characters.`);
  if (/[\p{Cc}\\]/u.test(filter)) throw reject('A filter contains neither control characters nor backslashes.');
  const texts = filter.match(TEXT) ?? [];
  const others = filter.replace(TEXT, ' ');
  if (others.includes('"')) throw reject('A text of the filter has no closing quotation mark.');
  if (BRACKET.test(others) && texts.some((text) => BRACKET.test(text)))
    throw reject('A filter with groups cannot have texts that contain brackets.');
  if ((others.match(OPERATOR) ?? []).length > MAX_OPERATORS)
    throw reject(`A filter has at most ${MAX_OPERATORS} operators "and", "or" and "not".`);
  return filter.replace(ADDRESS, (_, start: string, text: string) => `${start}"${normalizeEmail(text)}"`);
}

/** The value of `attributes` or `excludedAttributes`. @throws {ScimError} */
export function readNames(text: string): string {
  const names = text.slice(0, MAX_LENGTH + 1).split(/, */);
  if (text.length > MAX_LENGTH || names.length > MAX_NAMES || !names.every(isName))
    throw reject(`attributes and excludedAttributes are at most ${MAX_NAMES} names, separated by commas.`);
  return names.join(',');
}

/** Can it be the name of an attribute or of a schema? */
export function isName(text: string): boolean {
  return NAME.test(text);
}

/** Runs a part of `scimmy` that parses or applies a filter. @throws {ScimError} */
export function applyFilter<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    // It has no error of its own for comparisons that are not complete, and for unknown parts of attributes.
    throw error instanceof TypeError ? reject('The filter, or a name in it, is not valid.') : error;
  }
}

function reject(message: string): ScimError {
  return new ScimError('invalidFilter', message);
}
