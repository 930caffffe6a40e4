import { toNfkd } from '../../../packages/tabular/src/normalization.js';

/** A run of letters, digits and combining marks. */
const RUN = /[\p{L}\p{N}\p{M}]+/gu;
const WORD = /[\p{L}\p{N}]+/gu;
const ONLY_LETTERS = /^\p{L}+$/u;

/** Characters of a word that are compared. */
const MAX_WORD_LENGTH = 200;

/** Characters of a run that are folded: a character may become 18, and a row of characters one word. */
const MAX_RUN_LENGTH = 2_000;

/** Letters of the shortest word in which typing errors are found. Too many shorter words are similar. */
const MIN_LENGTH = 3;

/** Letters of the longest word in which typing errors are found: each letter adds a variant. */
const MAX_LENGTH = 30;

/** Letters that Unicode does not decompose into a base letter and a mark. */
const FOLDED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    đ: 'd',
    ð: 'd',
    ł: 'l',
    ı: 'i',
    þ: 'th',
    ħ: 'h',
  }),
);
const UNDECOMPOSED = new RegExp(`[${[...FOLDED.keys()].join('')}]`, 'g');

/** A run of letters and digits in a text, with its folded words. The run `½` has the words `1` and `2`. */
export interface TextRun {
  start: number;
  end: number;
  words: string[];
}

/** The form in which texts are compared: lower case, without accents. */
export function foldText(text: string): string {
  const plain = toNfkd(text).replace(/\p{Mn}/gu, '');
  return plain.toLowerCase().replace(UNDECOMPOSED, (letter) => FOLDED.get(letter)!);
}

/** The runs of letters and digits of a text, with their folded words. */
export function* splitRuns(text: string): Generator<TextRun> {
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const words = (foldText(run.slice(0, MAX_RUN_LENGTH)).match(WORD) ?? []).map((word) =>
      word.slice(0, MAX_WORD_LENGTH),
    );
    if (words.length > 0) yield { start: index, end: index + run.length, words };
  }
}

/** The folded words of a text, in their order. */
export function splitWords(text: string): string[] {
  return Array.from(splitRuns(text)).flatMap(({ words }) => words);
}

/**
 * May the word contain a typing error? A word with digits is an identifier: another digit makes it another thing.
 */
export function mayContainError(word: string): boolean {
  return word.length >= MIN_LENGTH && word.length <= MAX_LENGTH && ONLY_LETTERS.test(word);
}

/**
 * The word, and the word without each of its letters. Two words that differ by one added, missing, replaced or swapped
 * letter have a variant in common.
 */
export function listVariants(word: string): string[] {
  const letters = [...word];
  const shortened = letters.map((_, position) => letters.toSpliced(position, 1).join(''));
  return [...new Set([word, ...shortened])];
}

/**
 * Do the words differ by one typing error: an added, missing or replaced letter, or two swapped neighbors? A word of
 * three letters is compared only with words of four letters.
 */
export function isMistyped(typed: string, word: string): boolean {
  const [a, b] = [[...typed], [...word]];
  const isShort = Math.max(a.length, b.length) <= MIN_LENGTH;
  if (isShort || Math.abs(a.length - b.length) > 1 || typed === word) return false;
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  const rest = (letters: readonly string[], from: number) => letters.slice(start + from).join('');
  if (a.length < b.length) return rest(a, 0) === rest(b, 1);
  if (a.length > b.length) return rest(a, 1) === rest(b, 0);
  if (rest(a, 1) === rest(b, 1)) return true;
  return a[start] === b[start + 1] && a[start + 1] === b[start] && rest(a, 2) === rest(b, 2);
}
