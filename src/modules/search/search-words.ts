import { toNfkd } from '../../../packages/tabular/src/normalization.js';

/** Letters of scripts that have no blanks between words: each of them is a run. */
const UNSPACED_SCRIPTS = ['Han', 'Hira', 'Kana', 'Thai', 'Laoo', 'Khmr', 'Mymr'];
const UNSPACED = `[[${UNSPACED_SCRIPTS.map((script) => `\\p{scx=${script}}`).join('')}]&&[\\p{L}\\p{N}]]`;
const IS_UNSPACED = new RegExp(`^${UNSPACED}`, 'v');

/** A run of letters, digits and combining marks. The sign `×` is written as the letter, too. */
const RUN = new RegExp(`(${UNSPACED})[\\p{M}\uFF9E\uFF9F]*|[[\\p{L}\\p{N}\\p{M}×]--${UNSPACED}]+`, 'gv');
const WORD = /[\p{L}\p{N}]+/gu;
const ONLY_LETTERS = new RegExp(`^[\\p{L}--${UNSPACED}]+$`, 'v');
const ONLY_DIGITS = /^\d+$/;
const LEADING_ZEROS = /^0+(?=\d)/;
const ONLY_ASCII = /^\p{ASCII}+$/u;
const DIGIT = /\p{N}/u;
const BLANK = /\s/;

/** Characters of a word that are compared. */
const MAX_WORD_LENGTH = 200;

/** Characters of a run that are folded: a character may become 18, and a row of characters one word. */
const MAX_RUN_LENGTH = 2_000;

/** Characters between the words of a code of which one has a digit, such as ` x ` and ` - `. */
const MAX_SEPARATOR = 3;

/** Characters of a code that are compared, without separators. */
export const MAX_JOINED_LENGTH = 40;

/** Characters of a part of a word that is found. */
export const MIN_PART = 4;

/** Letters of the shortest word in which typing errors are found. Too many shorter words are similar. */
const MIN_LENGTH = 3;

/** Letters of the longest word in which typing errors and parts are found: each letter adds variants. */
const MAX_LENGTH = 40;

/** Precedes the end of a word among the variants. */
export const END_MARK = '+';

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
    '×': 'x',
  }),
);
const UNDECOMPOSED = new RegExp(`[${[...FOLDED.keys()].join('')}]`, 'g');

/** A run of letters and digits in a text, with its folded words. The run `½` has the words `1` and `2`. */
export interface TextRun {
  start: number;
  end: number;
  words: string[];
  /** Is it a letter of a script without blanks? */
  isUnspaced: boolean;
  /** Its position in the joined words of all runs, and where the last run ends with which it can be written as one. */
  position: number;
  codeEnd: number;
}

/** The form in which texts are compared: lower case, without accents. */
export function foldText(text: string): string {
  const plain = toNfkd(text).replace(/\p{Mn}/gu, '');
  return plain.toLowerCase().replace(UNDECOMPOSED, (letter) => FOLDED.get(letter)!);
}

/** The runs of letters and digits of a text, with their folded words. */
export function splitRuns(text: string): TextRun[] {
  const runs: TextRun[] = [];
  /** Words of letters of scripts without blanks: a long text repeats them. */
  const folded = new Map<string, string[]>();
  let position = 0;
  for (const { 0: run, 1: letter, index: start } of text.matchAll(RUN)) {
    const words = folded.get(run) ?? foldRun(run);
    if (letter !== undefined) folded.set(run, words);
    if (words.length === 0) continue;
    const codeEnd = position + words.join('').length;
    runs.push({ start, end: start + run.length, words, isUnspaced: letter !== undefined, position, codeEnd });
    position = codeEnd;
  }
  for (let at = runs.length - 2; at >= 0; at--)
    if (isJoined(runs[at]!, runs[at + 1]!, text)) runs[at]!.codeEnd = runs[at + 1]!.codeEnd;
  return runs;
}

function foldRun(run: string): string[] {
  if (ONLY_ASCII.test(run)) return [run.slice(0, MAX_WORD_LENGTH).toLowerCase()];
  const words = foldText(run.slice(0, MAX_RUN_LENGTH)).match(WORD) ?? [];
  return words.map((word) => word.slice(0, MAX_WORD_LENGTH));
}

/**
 * May both runs be written as one, such as `DN 50` and `V-101`? Letters of scripts without blanks may; words with one
 * separator between them; and words with up to MAX_SEPARATOR characters between them if one has a digit.
 */
function isJoined(a: TextRun, b: TextRun, text: string): boolean {
  const length = b.start - a.end;
  if (a.isUnspaced || b.isUnspaced) return a.isUnspaced && b.isUnspaced && length === 0;
  if (length > MAX_SEPARATOR) return false;
  if (length === 1 && !BLANK.test(text.charAt(a.end))) return true;
  return a.words.some((word) => DIGIT.test(word)) || b.words.some((word) => DIGIT.test(word));
}

/** The words of runs without what separates them. */
export function joinRuns(runs: readonly TextRun[]): string {
  return runs.map(({ words }) => words.join('')).join('');
}

/** The folded words of a text, in their order; each letter of a script without blanks is one. */
export function splitWords(text: string): string[] {
  return splitRuns(text).flatMap(({ words }) => words);
}

/** A number is found without its leading zeros. @returns the same word if it has none. */
export function omitZeros(word: string): string {
  return word.startsWith('0') && ONLY_DIGITS.test(word) ? word.replace(LEADING_ZEROS, '') : word;
}

/** The pairs of neighbors in a run of a script without blanks. */
export function listPairs(run: string): string[] {
  const letters = [...run];
  return letters.length === 1 ? letters : letters.slice(1).map((letter, at) => letters[at]! + letter);
}

export function isUnspaced(word: string): boolean {
  return IS_UNSPACED.test(word);
}

/** A word by whose beginning the end of the word is found. */
export function reverse(word: string): string {
  return [...word].reverse().join('');
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

/** The ends of the word, by whose beginnings each part of the word is found: `kesselwasser` by `+wasser`. */
export function listEnds(word: string): string[] {
  const letters = [...word];
  return letters.slice(1, 1 - MIN_PART).map((_, position) => END_MARK + letters.slice(position + 1).join(''));
}

/** The beginnings and ends of a compound, wherever it can be divided: `kesselwasser` in `kessel` and `wasser`. */
export function listParts(word: string): string[] {
  const letters = [...word];
  const parts: string[] = [];
  for (let at = MIN_PART; at <= letters.length - MIN_PART; at++)
    parts.push(letters.slice(0, at).join(''), letters.slice(at).join(''));
  return parts;
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
