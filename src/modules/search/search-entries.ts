import { MAX_ENTRY_BYTES, MAX_ENTRY_WORDS, MAX_FIELD_LENGTH } from './search-limits.js';
import type { SearchKind } from './search-kinds.js';
import { type SearchedField, type SearchQuery, toCode } from './search-matcher.js';
import {
  END_MARK,
  isUnspaced,
  joinRuns,
  listPairs,
  MAX_JOINED_LENGTH,
  mayContainError,
  MIN_PART,
  omitZeros,
  reverse,
  splitRuns,
  type TextRun,
} from './search-words.js';

/**
 * All workspaces share the index of words. Each entry begins with the last digits of the ID of the workspace, which are
 * random, and a letter for the kind: a search reads only the entries of its own workspace and kind, however many there
 * are of others. The statements compare the whole ID, too.
 */
const PREFIX_LENGTH = 6;
const KIND_LETTERS: Record<SearchKind, string> = { rows: 'r', notes: 'n', projects: 'p', tours: 'o', tags: 't' };

/** An entry of the index. */
export interface IndexEntry {
  id: string;
  code: string | null;
  /** A `tsvector` as text. */
  words: string;
  /** The words, for typing errors. */
  plainWords: ReadonlySet<string>;
}

/** The entry for the fields of a row, a record or a message. If it is too large, other forms of words are omitted. */
export function toIndexEntry(
  workspaceId: string,
  kind: SearchKind,
  id: string,
  fields: readonly SearchedField[],
): IndexEntry {
  const [plainWords, lexemes, forms] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let bytes = 0;
  const isFull = () => lexemes.size >= MAX_ENTRY_WORDS || bytes >= MAX_ENTRY_BYTES;
  const add = (lexeme: string) => {
    if (!lexemes.has(lexeme)) bytes += Buffer.byteLength(lexeme) + 1;
    lexemes.add(lexeme);
  };
  const [plain, title] = [toPrefix(workspaceId, kind, false), toPrefix(workspaceId, kind, true)];
  for (const { text, isTitle = false, isCode = false } of fields) {
    if (isFull()) break;
    const prefixes = isTitle || isCode ? [plain, title] : [plain];
    const runs = splitRuns(text.slice(0, MAX_FIELD_LENGTH));
    const joined = joinRuns(runs);
    const known = new Set<string>();
    for (let at = 0; at < runs.length && !isFull(); at++) {
      const words = runs[at]!.isUnspaced ? listPairsAt(runs, at) : runs[at]!.words;
      for (const word of words) {
        if (known.has(word)) continue;
        known.add(word);
        plainWords.add(word);
        for (const prefix of prefixes) add(prefix + word);
      }
      if (forms.size >= MAX_ENTRY_WORDS || runs[at]!.isUnspaced) continue;
      for (const form of listForms(runs[at]!, joined)) for (const prefix of prefixes) forms.add(prefix + form);
      for (const word of words) if (isFoundByEnd(word)) forms.add(plain + END_MARK + reverse(word));
    }
  }
  for (const form of forms) if (!isFull()) add(form);
  const code = toCode(fields.find(({ isCode }) => isCode)?.text ?? '');
  return {
    id,
    code: code === '' ? null : toStoredCode(kind, code).slice(0, 255),
    // Words contain neither quotes nor backslashes.
    words: Array.from(lexemes, (lexeme) => `'${lexeme}'`).join(' '),
    plainWords,
  };
}

/** The words of a letter of a script without blanks: the pairs with the next one. */
function listPairsAt(runs: readonly TextRun[], at: number): string[] {
  const isLast = runs[at]!.codeEnd === (runs[at + 1]?.position ?? runs[at]!.codeEnd);
  return listPairs(joinRuns(runs.slice(at, isLast ? at + 1 : at + 2)));
}

/** In what other form a word can be searched: without leading zeros, and as the beginning of a code. */
function listForms({ words, position, codeEnd }: TextRun, joined: string): string[] {
  const code = joined.slice(position, Math.min(codeEnd, position + MAX_JOINED_LENGTH));
  return [...words.map(omitZeros), code].filter((form) => !words.includes(form));
}

/** Words of letters are found by the stored ends of the dictionary (`SearchWord`), because many rows have them. */
function isFoundByEnd(word: string): boolean {
  return word.length > MIN_PART && !mayContainError(word);
}

/** A code begins with the letter of the kind, too: a search of one kind reads none of the others. */
export function toStoredCode(kind: SearchKind, code: string): string {
  return KIND_LETTERS[kind] + code;
}

/**
 * A `tsquery` for entries that contain, for each word, a word that begins with one of its forms, a similar word, or one
 * that ends with it.
 */
export function toWordQuery(workspaceId: string, kind: SearchKind, { words }: SearchQuery, inTitle: boolean): string {
  const prefix = toPrefix(workspaceId, kind, inTitle);
  const toBeginnings = (form: string) =>
    (isUnspaced(form) ? listPairs(form) : [form]).map((word) => `'${prefix}${word}':*`).join(' & ');
  return words
    .map(({ forms, similar, ends }) => [
      ...Array.from(forms, toBeginnings),
      ...Array.from(similar, (word) => `'${prefix}${word}'`),
      ...Array.from(ends, (end) => `'${prefix}${END_MARK}${reverse(end)}':*`),
    ])
    .map((alternatives) => `(${alternatives.map((each) => `(${each})`).join(' | ')})`)
    .join(' & ');
}

/** Words of titles and codes have the letter of the kind in upper case, and are entries of their own. */
function toPrefix(workspaceId: string, kind: SearchKind, isTitle: boolean): string {
  const letter = KIND_LETTERS[kind];
  return workspaceId.slice(-PREFIX_LENGTH) + (isTitle ? letter.toUpperCase() : letter);
}
