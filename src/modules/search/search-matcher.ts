import { MAX_EXCERPT, MAX_FIELD_LENGTH, MAX_MATCHES } from './search-limits.js';
import { foldText, splitRuns, splitWords, type TextRun } from './search-words.js';

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
  /** The whole text, folded, to compare with codes. */
  code: string;
  words: SearchedWord[];
}

export interface SearchedWord {
  text: string;
  /** Words of the workspace from which it differs by a typing error. */
  similar: ReadonlySet<string>;
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

const QUALITY = { word: 4, beginning: 3, similar: 1 } as const;
const TITLE_FACTOR = 2;
const CODE_SCORE = { whole: 1_000, beginning: 500 } as const;

/** Characters of a code that are compared. */
const MAX_CODE_LENGTH = 1_000;

/** Characters before the first match of an excerpt. */
const BEFORE_MATCH = 60;

/** The query for the text. It has no words if the text contains neither letters nor digits. */
export function parseSearch(q: string): SearchQuery {
  const words = [...new Set(splitWords(q))].map((text) => ({ text, similar: new Set<string>() }));
  return { code: toCode(q), words };
}

/** The form in which codes are compared. People write numbers of notes as `#12`. */
export function toCode(text: string): string {
  return foldText(text.slice(0, MAX_CODE_LENGTH).trim()).replace(/^#/, '');
}

/** @returns undefined unless the fields contain each word of the query, its beginning or a similar word. */
export function matchFields(query: SearchQuery, fields: readonly SearchedField[]): Match | undefined {
  const best = query.words.map(() => ({ quality: 0, score: 0 }));
  const matches: FieldMatch[] = [];
  let codeScore = 0;
  for (const field of fields) {
    const text = field.text.slice(0, MAX_FIELD_LENGTH);
    if (field.isCode) codeScore = Math.max(codeScore, compareCode(query.code, text));
    const matched: TextRun[] = [];
    for (const run of splitRuns(text)) {
      const qualities = query.words.map((word) => Math.max(...run.words.map((each) => compareWord(word, each))));
      if (qualities.some((quality) => quality > 0)) matched.push(run);
      qualities.forEach((quality, position) => {
        const score = quality * (field.isTitle ? TITLE_FACTOR : 1);
        if (score > best[position]!.score) best[position] = { quality, score };
      });
    }
    if (matched.length > 0 && matches.length < MAX_MATCHES) matches.push(toMatch(field.name, text, matched));
  }
  if (best.some(({ score }) => score === 0)) return undefined;
  return {
    score: codeScore + best.reduce((sum, { score }) => sum + score, 0),
    isMistyped: best.some(({ quality }) => quality === QUALITY.similar),
    matches,
  };
}

function compareCode(code: string, text: string): number {
  const own = toCode(text);
  if (own === code) return CODE_SCORE.whole;
  return own.startsWith(code) ? CODE_SCORE.beginning : 0;
}

function compareWord({ text, similar }: SearchedWord, word: string): number {
  if (word === text) return QUALITY.word;
  if (word.startsWith(text)) return QUALITY.beginning;
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
