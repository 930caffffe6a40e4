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

/** The schemas of the core: `urn:ietf:params:scim:schemas:core:2.0:User:userName` is `userName`. */
const CORE = String.raw`urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):`;

/** Comparisons with values that are email addresses, or IDs of members; other texts; what `scimmy` does not know. */
const TOKEN = new RegExp(
  String.raw`(\b(?:userName|emails|value)\s+\w\w\s+)"([^"]*)"|"[^"]*"|${CORE}|\b(?:true|false|null)\b`,
  'gi',
);

const CORE_PREFIX = new RegExp(`^${CORE}`, 'i');

const NAME = /^[\w$.:-]+$/;

/**
 * What is one expression (RFC 7644, section 3.4.2.2) of a filter with empty texts and single spaces, in which `#` is an
 * expression: a comparison, a group, a condition on the values of an attribute, and two expressions.
 */
const EXPRESSIONS = [
  /(?<![\w$.:-])[a-z$][\w$.:-]*(?:\[ ?# ?\]\.[\w$-]+)? (?:pr|(?:eq|ne|co|sw|ew|gt|ge|lt|le) (?:""|true|false|null|-?\d+(?:\.\d+)?))(?=[ )\]]|$)/gi,
  /(?:not ?)?\( ?# ?\)/gi,
  /(?<![\w$.:-])[a-z$][\w$.:-]*\[ ?# ?\](?!\.)/gi,
  /# (?:and|or) #/gi,
];

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
  if (!isComplete(filter))
    throw reject('The filter is not of the form: userName eq "ada@example.com" and active eq true');
  return filter.replace(TOKEN, (token, start: string | undefined, text: string) => {
    if (start !== undefined) return `${start}"${normalizeEmail(text)}"`;
    if (token.startsWith('"')) return token;
    return token.includes(':') ? '' : token.toLowerCase();
  });
}

/** `scimmy` accepts comparisons without a value and operators without an operand, and then finds other resources. */
function isComplete(filter: string): boolean {
  let rest = filter.replace(TEXT, '""').replace(/ +/g, ' ').trim();
  if (rest.includes('#')) return false;
  for (let former = ''; former !== rest;) {
    former = rest;
    for (const expression of EXPRESSIONS) rest = rest.replace(expression, '#');
  }
  return rest === '#';
}

/** The value of `attributes` or `excludedAttributes`, without the schema of the core. @throws {ScimError} */
export function readNames(text: string): string {
  const names = text.slice(0, MAX_LENGTH + 1).split(/, */);
  if (text.length > MAX_LENGTH || names.length > MAX_NAMES || !names.every(isName))
    throw reject(`attributes and excludedAttributes are at most ${MAX_NAMES} names, separated by commas.`);
  return names.map(removeSchema).join(',');
}

/** The name of an attribute without the schema of the core. */
export function removeSchema(name: string): string {
  return name.replace(CORE_PREFIX, '');
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
    // It has no error of its own for unknown parts of attributes.
    throw error instanceof TypeError ? reject('The filter, or a name in it, is not valid.') : error;
  }
}

function reject(message: string): ScimError {
  return new ScimError('invalidFilter', message);
}
