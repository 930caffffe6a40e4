import type { TextKind } from './names-persons.decorator.js';

/** A name of one word is replaced within longer texts only if it has so many characters, as IDs have. */
const MIN_DISTINCT_LENGTH = 16;

const PUNCTUATION = /[!-/:-@[-`{-~]/g;

/** What JSON contains outside of texts: a name like this is replaced as a whole text only. */
const OUTSIDE_TEXTS = /^(?:[\s\d[\]{},:.eE+-]|true|false|null)+$/;

const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** Ends an email address, also as the name of a file; the address may be the start of another one. */
const AFTER_EMAIL = String.raw`(?=$|[^\w.-]|\.(?:$|\W|(?:${[
  'aac|avif|csv|docx?|eml|gif|gz|heic|html?|jpe?g|jsonl?|log|m4a|mov|mp[34]|msg|ndjson|odt|ods',
  'og[ag]|pdf|png|pptx?|svg|tar|tiff?|txt|wav|webm|webp|xlsx?|xml|ya?ml|zip',
].join('|')})(?![\w-])))`;

/** Sequences of JSON after which a word starts: that of a control character, and backslashes in pairs. */
const AFTER_ESCAPE = String.raw`(?<=\\[bfnrt])|(?<=[^\\](?:\\\\)+)`;

/** The rest of a text of JSON makes it no key: keys can be those of the service. */
const IN_VALUE = String.raw`(?!(?:[^"\\]|\\.)*"\s*:)`;

/** Where a value of JSON that can be a name of one word starts. */
const VALUE_START: Record<'json' | 'attributes', string> = {
  json: String.raw`(?<="(?:assignee|displayName|label|reporter|subject)":\s?")`,
  attributes: String.raw`(?<=":\s?")`,
};

/**
 * A regular expression of PostgreSQL that finds names. An email address, a name of several words and an ID are found
 * within longer texts, another name of one word only as the whole text. In JSON, keys are names only if they contain an
 * email address, and values of one word only in attributes that name persons: a member can be called `owner` or `open`.
 */
export function toNamePattern(names: readonly string[], kind: TextKind): string {
  return Array.from(new Set(names), (name) => toAlternative(name.trim(), kind)).join('|');
}

function toAlternative(name: string, kind: TextKind): string {
  const isText = kind === 'text';
  const escaped = (isText ? name : JSON.stringify(name).slice(1, -1))
    .replace(PUNCTUATION, String.raw`\$&`)
    .replace(/\s+/g, String.raw`\s+`);
  if (EMAIL.test(name)) return `${toStart(String.raw`\w.+-`, kind)}${escaped}${AFTER_EMAIL}`;
  const isDistinct = /\s/.test(name) || name.length >= MIN_DISTINCT_LENGTH;
  if (isDistinct && (isText || !OUTSIDE_TEXTS.test(name)))
    return `${toStart(String.raw`\w`, kind)}${escaped}${String.raw`(?!\w)`}${isText ? '' : IN_VALUE}`;
  return isText ? `^${escaped}$` : `${VALUE_START[kind]}${escaped}(?=")`;
}

/**
 * A name that started within an escape sequence of JSON would leave a text that is not JSON.
 *
 * @param part characters, one of which before the name would make it a part of another one.
 */
function toStart(part: string, kind: TextKind): string {
  return kind === 'text' ? `(?<![${part}])` : String.raw`(?:(?<![\\${part}])|${AFTER_ESCAPE})`;
}
