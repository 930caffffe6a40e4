import { coerceKey, getCoercion } from '../../packages/tabular/src/coercions.js';
import { toNfc, toNfkd, normalText, toSlug } from '../../packages/tabular/src/normalization.js';
import { readFilter, readNames } from '../../src/modules/identity/scim/scim-filter.js';
import { readPatch } from '../../src/modules/identity/scim/scim-input.js';
import { MAX_EXPRESSION_LENGTH } from '../../src/modules/odata/expression.js';
import { LEXER } from '../../src/modules/odata/expression-tokens.js';
import { toIndexEntry } from '../../src/modules/search/search-entries.js';
import { matchFields, parseSearch, toCode } from '../../src/modules/search/search-matcher.js';
import { Base64Decoder } from '../../src/platform/body/base64.js';
import { readCharset } from '../../src/platform/body/charset.js';
import { FormFields } from '../../src/platform/body/form-fields.js';
import { decodeText } from '../../src/platform/body/form-texts.js';
import { parseParameters } from '../../src/platform/body/header-parameters.js';
import { DTO_LIMITS } from '../../packages/json/src/json-structure.js';
import { decodeBase64 } from '../../src/platform/body/json-files.js';
import { parseJson } from '../../packages/json/src/json-parser.js';
import { displayName } from '../../src/platform/body/upload.js';
import { Keyset } from '../../packages/sql/src/keyset.js';
import { redactSecrets } from '../../packages/json/src/redact-secrets.js';
import { expectNone } from '../support/for-each.js';
import { measureCpu, slowdown } from '../support/machine-speed.js';

const MIB = 1024 * 1024;

/** Characters of a value of the search; the others are cut before. */
const SEARCHED = 100_000;

/** With forms that begin like each other, and of each kind of script. */
const SEARCH = parseSearch('1-11-111 a-aa-aaa 00 1 水水水水');

const field = (header: string, bytes: string) => {
  const headers = new Map([['content-transfer-encoding', header]]);
  const part = { name: 'a', filename: undefined, headers, start: 0, content: (async function* () {})() };
  return decodeText(part, Buffer.from(bytes));
};

const removeFromGroup = (path: string, value?: unknown) =>
  readPatch('Group', { Operations: [{ op: 'remove', path, value }] });

/** Each function that reads a text of a caller. Errors are results, too. */
const FUNCTIONS: [name: string, read: (text: string) => unknown][] = [
  ['displayName', displayName],
  ['decodeBase64', (text) => [...decodeBase64(text, 'a')]],
  ['Base64Decoder', (text) => new Base64Decoder('a').add(text)],
  ['quoted-printable', (text) => field('quoted-printable', text)],
  ['parseParameters', parseParameters],
  ['parseParameters of a parameter', (text) => parseParameters(`form-data; name="${text}"`)],
  ['readCharset', readCharset],
  ['FormFields', (text) => new FormFields().add(text, 'x')],
  ['parseJson', (text) => parseJson(text, DTO_LIMITS, { exactNumbers: true })],
  ['parseJson of a list', (text) => parseJson(`[${text}]`, DTO_LIMITS, { exactNumbers: true })],
  ['parseJson of a text', (text) => parseJson(JSON.stringify({ a: text.toWellFormed() }), DTO_LIMITS)],
  ['decode of a cursor', (text) => new Keyset([]).decode('x', text)],
  ['redactSecrets', redactSecrets],
  ['normalText', normalText],
  ['toNfc', toNfc],
  ['toNfkd of a value', (text) => toNfkd(text.slice(0, SEARCHED))],
  ['toSlug', (text) => toSlug(text, '-')],
  ['toCode', toCode],
  ['parseSearch of a value', (text) => parseSearch(text.slice(0, SEARCHED))],
  ['matchFields of a value', (text) => matchFields(SEARCH, [{ name: 'a', text: text.slice(0, SEARCHED) }])],
  ['toIndexEntry of a value', (text) => toIndexEntry('w', 'rows', 'k', [{ name: 'a', text: text.slice(0, SEARCHED) }])],
  ['coerceKey', coerceKey],
  ['an expression of OData', (text) => LEXER.tokenize(text.slice(0, MAX_EXPRESSION_LENGTH))],
  ['a filter of SCIM', readFilter],
  ['names of SCIM', readNames],
  ['a path of SCIM', removeFromGroup],
  ['a path of SCIM to a member', (text) => removeFromGroup(`members[value eq "${text}`)],
  ['a member of SCIM', (text) => removeFromGroup('members', [{ value: text, [text]: text }])],
  ['a number of a column', (text) => getCoercion('number')(text)],
  ['a date of a column', (text) => getCoercion('date')(text)],
];

/** Milliseconds on a busy machine: the time of most is below 20, and that of the square of 1 MB is many seconds. */
const MAX_MS = 300;

/** What makes functions backtrack, normalize or collect much, repeated to 1 MB. */
const UNITS = [
  ...[
    'a',
    ' ',
    '\t',
    ' x',
    ' \n',
    '\r\n',
    '=',
    '= ',
    '=\r\n',
    '=4',
    ';',
    '; ',
    ';a=b',
    ';a=',
    '"',
    '\\',
    '\\"',
    '[',
    '[a]',
    '[]',
    '{"a":',
  ],
  ...['1 ', '00 ', 'a-', 'a1 ', 'a.1', '水', '水 ', 'ガ'],
  ...['0', '0,', '1.', '1e', '-', '{},', '[],', '""', ',', ':', '%', '%2', '/', '.', '.a', 'é', 'ß', '😀', '½', '½ '],
  ...[
    '\u0301\u0316',
    'a\u0301\u0316',
    '\uff9e\u0316',
    '\u0344\u0316',
    '\ufdfa',
    '\ud800',
    '\u200b',
    '\ufeff',
    'eyJ',
    'wsk_',
  ],
];
const TEXTS = UNITS.map((unit) => `a${unit.repeat(MIB / unit.length)}b`);

describe('a function that reads a text of a caller', () => {
  it.each(FUNCTIONS)('takes a time proportional to 1 MB of anything: %s', (_, read) => {
    // A slower or busy machine needs more CPU time for anything.
    const limit = MAX_MS * slowdown();
    const slow = TEXTS.flatMap((text, at) => {
      const ms = measureCpu(() => read(text), limit);
      return ms > limit ? [`${JSON.stringify(UNITS[at])}: ${ms.toFixed(0)} ms`] : [];
    });
    expectNone(slow, 'Read each character once: replace patterns that go back, and searches within loops.');
  });
});
