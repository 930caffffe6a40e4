import { MAX_EXCERPT, MAX_FIELD_LENGTH, MAX_MATCHES, MAX_QUERY_LENGTH } from './search-limits.js';
import {
  foldText,
  joinRuns,
  MAX_JOINED_LENGTH,
  MIN_PART,
  omitZeros,
  splitRuns,
  splitWords,
  type TextRun,
} from './search-words.js';

/** A searched text with its name. */
export interface SearchedField {
  name: string;
  text: string;
  isTitle?: boolean;
  /** Is it what people know the row or record by, such as the key? */
  isCode?: boolean;
}

/** What a caller searches. */
export interface SearchQuery {
  /** The whole text, folded. */
  plain: string;
  /** The whole text in the form in which codes are compared. */
  code: string;
  words: SearchedWord[];
}

export interface SearchedWord {
  text: string;
  /** The word, the word without leading zeros, and codes that contain it: `dn50` of the query `DN 50`. */
  forms: ReadonlySet<string>;
  /** Words of the workspace from which it differs by a typing error, that contain it, or that are a part of it. */
  similar: ReadonlySet<string>;
  /** Forms that are also looked for at the end of words. */
  ends: ReadonlySet<string>;
}

/** A value that contains words of the query. */
export interface FieldMatch {
  field: string;
  /** The value, or an excerpt with `…`: every second part is a match. */
  parts: string[];
}

/** How well texts match a query. */
export interface Match {
  /** The best first. */
  score: number;
  isMistyped: boolean;
  matches: FieldMatch[];
}

const QUALITY = { word: 16, beginning: 12, part: 5, similar: 2 } as const;
const TITLE_FACTOR = 2;
const CODE_SCORE = { same: 1_100, whole: 1_000, beginning: 500 } as const;

/** Words of a code in the query. */
const MAX_CODE_WORDS = 10;

/** Forms of a word of the query: each adds a look-up in the index. */
const MAX_FORMS = 30;

/** Characters of a code that are compared. */
const MAX_CODE_LENGTH = 1_000;

/** Characters before the first match of an excerpt. */
const BEFORE_MATCH = 60;

/** The query for the text. It has no words if the text contains neither letters nor digits. */
export function parseSearch(q: string): SearchQuery {
  const runs = splitRuns(q.slice(0, MAX_QUERY_LENGTH));
  const joined = joinRuns(runs);
  const forms = new Map<string, Set<string>>();
  const addForm = (word: string, form: string) => {
    const known = forms.get(word) ?? new Set();
    if (known.size < MAX_FORMS) forms.set(word, known.add(form));
  };
  for (const [at, { words, isUnspaced, position, codeEnd }] of runs.entries()) {
    if (isUnspaced && runs[at - 1]?.codeEnd === codeEnd) continue;
    for (const word of isUnspaced ? [joined.slice(position, codeEnd)] : words) {
      addForm(word, word);
      addForm(word, omitZeros(word));
    }
  }
  // Short codes first: people write a code among other words.
  for (let length = 2; length <= MAX_CODE_WORDS; length++)
    for (let from = 0; from + length <= runs.length; from++) {
      const code = runs.slice(from, from + length);
      if (code[0]!.isUnspaced || code[0]!.codeEnd !== code.at(-1)!.codeEnd) continue;
      const form = joinRuns(code).slice(0, MAX_JOINED_LENGTH);
      for (const word of code.flatMap(({ words }) => words)) addForm(word, form);
    }
  const none: ReadonlySet<string> = new Set();
  const words = Array.from(forms, ([text, own]) => ({ text, forms: own, similar: none, ends: none }));
  return { plain: toPlain(q), code: toCode(q), words };
}

function toPlain(text: string): string {
  return foldText(text.slice(0, MAX_CODE_LENGTH).trim());
}

/** The form in which codes are compared: without separators, and a number without leading zeros. */
export function toCode(text: string): string {
  return omitZeros(splitWords(text.slice(0, MAX_CODE_LENGTH)).join(''));
}

/** @returns undefined unless the fields contain each word of the query: a form of it, a similar word or its end. */
export function matchFields(query: SearchQuery, fields: readonly SearchedField[]): Match | undefined {
  const forms = groupForms(query);
  const best = query.words.map(() => ({ quality: 0, score: 0 }));
  const matches: FieldMatch[] = [];
  let codeScore = 0;
  for (const field of fields) {
    const text = field.text.slice(0, MAX_FIELD_LENGTH);
    if (field.isCode) codeScore = Math.max(codeScore, compareCode(query, text));
    const matched = findRuns(query, forms, text, (position, quality) => {
      const score = quality * (field.isTitle ? TITLE_FACTOR : 1);
      if (score > best[position]!.score) best[position] = { quality, score };
    });
    if (matched.length > 0 && matches.length < MAX_MATCHES) matches.push(toMatch(field.name, text, matched));
  }
  if (best.some(({ score }) => score === 0)) return undefined;
  return {
    score: codeScore + best.reduce((sum, { score }) => sum + score, 0),
    isMistyped: best.some(({ quality }) => quality === QUALITY.similar),
    matches,
  };
}

/** A form with the positions of its words in the query. */
interface SearchedForm {
  form: string;
  positions: number[];
}

/** The different forms by their first character, so that most words of a text are compared with none. */
function groupForms({ words }: SearchQuery): Map<string, SearchedForm[]> {
  const all = new Set(words.flatMap(({ forms }) => [...forms]));
  const grouped = new Map<string, SearchedForm[]>();
  for (const form of all) {
    const positions = words.flatMap(({ forms }, position) => (forms.has(form) ? [position] : []));
    const group = grouped.get(form.charAt(0)) ?? [];
    grouped.set(form.charAt(0), [...group, { form, positions }]);
  }
  return grouped;
}

/**
 * The runs of a text that match words of the query.
 *
 * @param report receives the position of a word, and how well it matches.
 */
function findRuns(
  { words }: SearchQuery,
  forms: ReadonlyMap<string, readonly SearchedForm[]>,
  text: string,
  report: (position: number, quality: number) => void,
): TextRun[] {
  const runs = splitRuns(text);
  const joined = joinRuns(runs);
  const matched: TextRun[] = [];
  /** Where runs end in the joined words. */
  let ends: Set<number> | undefined;
  let matchedEnd = 0;
  for (const run of runs) {
    for (const word of run.words) {
      for (const { form, positions } of forms.get(word.charAt(0)) ?? []) {
        const end = run.position + form.length;
        const isCode = !word.startsWith(form);
        // What separates the words of a code is ignored.
        if (isCode && (end > run.codeEnd || !joined.startsWith(form, run.position))) continue;
        if (isCode) ends ??= new Set(runs.map(({ position }) => position)).add(joined.length);
        const isWhole = isCode ? ends!.has(end) : word === form;
        matchedEnd = Math.max(matchedEnd, isCode ? end : run.position + 1);
        for (const position of positions) report(position, isWhole ? QUALITY.word : QUALITY.beginning);
      }
      for (const [position, searched] of words.entries()) {
        const quality = compareWord(searched, word);
        if (quality === 0) continue;
        matchedEnd = Math.max(matchedEnd, run.position + 1);
        report(position, quality);
      }
    }
    if (run.position < matchedEnd) matched.push(run);
  }
  return matched;
}

function compareCode({ plain, code }: SearchQuery, text: string): number {
  if (toPlain(text) === plain) return CODE_SCORE.same;
  const own = toCode(text);
  if (own === code) return CODE_SCORE.whole;
  return own.startsWith(code) ? CODE_SCORE.beginning : 0;
}

/** Besides its forms: does the word equal it without zeros, contain it, or is it similar? */
function compareWord({ text, forms, similar }: SearchedWord, word: string): number {
  if (word.startsWith('0')) {
    const number = omitZeros(word);
    for (const form of forms) if (number.startsWith(form)) return number === form ? QUALITY.word : QUALITY.beginning;
  }
  if (text.length >= MIN_PART && word.includes(text)) return QUALITY.part;
  return similar.has(word) ? QUALITY.similar : 0;
}

/** The whole text, or the part around its first match. */
function toMatch(field: string, text: string, runs: readonly TextRun[]): FieldMatch {
  const isExcerpt = text.length > MAX_EXCERPT;
  const start = isExcerpt ? findBoundary(text, Math.max(0, runs[0]!.start - BEFORE_MATCH)) : 0;
  const end = isExcerpt ? findBoundary(text, Math.min(text.length, start + MAX_EXCERPT)) : text.length;
  const parts: string[] = [];
  let at = start;
  for (const run of runs) {
    if (run.start >= end) break;
    const runEnd = Math.min(run.end, end);
    parts.push(text.slice(at, run.start), text.slice(run.start, runEnd));
    at = runEnd;
  }
  parts.push(text.slice(at, end));
  if (start > 0) parts[0] = `…${parts[0]}`;
  if (end < text.length) parts.push(`${parts.pop()}…`);
  return { field, parts };
}

/** The position, or the one before it within a surrogate pair. */
function findBoundary(text: string, position: number): number {
  const isWithinPair = /^[\uDC00-\uDFFF]/.test(text.charAt(position));
  return isWithinPair ? position - 1 : position;
}
