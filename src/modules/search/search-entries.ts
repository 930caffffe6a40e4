import { MAX_ENTRY_BYTES, MAX_ENTRY_WORDS, MAX_FIELD_LENGTH } from './search-limits.js';
import type { SearchKind } from './search-kinds.js';
import { type SearchedField, type SearchQuery, toCode } from './search-matcher.js';
import { splitWords } from './search-words.js';

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

/** The entry for the fields of a row, a record or a message. */
export function toIndexEntry(
  workspaceId: string,
  kind: SearchKind,
  id: string,
  fields: readonly SearchedField[],
): IndexEntry {
  const [all, titles] = [new Set<string>(), new Set<string>()];
  let bytes = 0;
  for (const { text, isTitle = false, isCode = false } of fields)
    for (const word of splitWords(text.slice(0, MAX_FIELD_LENGTH))) {
      if (all.size + titles.size >= MAX_ENTRY_WORDS || bytes >= MAX_ENTRY_BYTES) break;
      for (const words of isTitle || isCode ? [all, titles] : [all]) {
        if (!words.has(word)) bytes += Buffer.byteLength(word) + PREFIX_LENGTH + 1;
        words.add(word);
      }
    }
  const toLexemes = (words: ReadonlySet<string>, prefix: string) => Array.from(words, (word) => `'${prefix}${word}'`);
  // Words contain neither quotes nor backslashes.
  const lexemes = [
    ...toLexemes(all, toPrefix(workspaceId, kind, false)),
    ...toLexemes(titles, toPrefix(workspaceId, kind, true)),
  ];
  const code = fields.find(({ isCode }) => isCode)?.text;
  return {
    id,
    code: code === undefined ? null : toStoredCode(kind, toCode(code)).slice(0, 255),
    words: lexemes.join(' '),
    plainWords: all,
  };
}

/** A code begins with the letter of the kind, too: a search of one kind reads none of the others. */
export function toStoredCode(kind: SearchKind, code: string): string {
  return KIND_LETTERS[kind] + code;
}

/** A `tsquery` for entries that contain, for each word, a word that begins with it, or a similar word. */
export function toWordQuery(workspaceId: string, kind: SearchKind, { words }: SearchQuery, inTitle: boolean): string {
  const prefix = toPrefix(workspaceId, kind, inTitle);
  return words
    .map(({ text, similar }) => [`'${prefix}${text}':*`, ...Array.from(similar, (word) => `'${prefix}${word}'`)])
    .map((alternatives) => `(${alternatives.join(' | ')})`)
    .join(' & ');
}

/** Words of titles and codes have the letter of the kind in upper case, and are entries of their own. */
function toPrefix(workspaceId: string, kind: SearchKind, isTitle: boolean): string {
  const letter = KIND_LETTERS[kind];
  return workspaceId.slice(-PREFIX_LENGTH) + (isTitle ? letter.toUpperCase() : letter);
}
