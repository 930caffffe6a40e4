/** A run of letters, digits and combining marks, whatever the locale of the database is. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Longer words are indexed by their beginning: an entry of the index can have about 2,000 bytes, a character four. */
const MAX_WORD_LENGTH = 200;

/**
 * All workspaces share the full-text index. Each entry begins with the last digits of the workspace's ID, which are
 * random: a search reads the entries of its own workspace, however many notes the others have. Workspaces with the same
 * digits are rare, and the statements compare the whole ID too.
 */
export const PREFIX_LENGTH = 6;

/** The entries of the full-text index for the texts of a note. */
export function toIndexEntries(workspaceId: string, ...texts: (string | null | undefined)[]): string[] {
  const prefix = workspaceId.slice(-PREFIX_LENGTH);
  const words = new Set(texts.flatMap((text) => (text ? splitWords(text) : [])));
  return Array.from(words, (word) => prefix + word);
}

/**
 * A `tsquery` for notes that contain, for each word of the text, a word that begins with it. Without words it matches
 * none.
 */
export function buildWordQuery(prefix: string, text: string): string {
  // Words contain neither quotes nor backslashes.
  return splitWords(text)
    .map((word) => `'${prefix}${word}':*`)
    .join(' & ');
}

function splitWords(text: string): string[] {
  return (text.toLowerCase().match(WORD) ?? []).map((word) => word.slice(0, MAX_WORD_LENGTH));
}
