import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Database, PLAN_EACH_TIME } from '../../platform/database/database.js';
import { SQLSTATE, sqlState } from '../../platform/database/database.errors.js';
import { toStoredCode, toWordQuery } from './search-entries.js';
import { SearchTooExpensiveError } from './search.errors.js';
import type { SearchKind } from './search-kinds.js';
import { MAX_SEARCH_S } from './search-limits.js';
import type { SearchQuery } from './search-matcher.js';
import { isMistyped, listVariants, mayContainError } from './search-words.js';

/** Words of the workspace that one word of the query can be similar to. */
const MAX_SIMILAR = 50;

/**
 * The steps in which matching entries are found, the best first. A step is only needed where those before it have found
 * too few: the index of words reads all entries with a word, of which there may be a million.
 */
export const SEARCH_STEPS = ['codes', 'titles', 'texts'] as const;
export type SearchStep = (typeof SEARCH_STEPS)[number];

/**
 * Entries of a kind that are read to learn whether a word is frequent, the first ones of each source by their keys.
 * Entries with a frequent word are taken from these, without the index of words.
 */
const FIRST_ENTRIES = 2_000;
/** Of each source, at least. */
const MIN_FIRST_ENTRIES = 50;
/** Sources of which first entries are read. */
const MAX_SAMPLED_SOURCES = FIRST_ENTRIES / MIN_FIRST_ENTRIES;
/** A word is frequent in a source if at least one of so many of its first entries contains it. */
const FREQUENT_AMONG = 50;

/** Greater than every character that follows the beginning of a code. */
const LAST_CHARACTER = '\u{10FFFF}';

/** An entry of the index that contains the words of the query. */
export interface Candidate {
  kind: SearchKind;
  source: string;
  id: string;
}

/** The sources of a kind that are searched. */
export interface SearchedSources {
  kind: SearchKind;
  /** IDs of tables, or names of kinds of records. */
  sources: readonly string[];
}

@Injectable()
export class SearchCandidatesRepository {
  private readonly timeoutMs: number;

  constructor(
    private readonly database: Database,
    config: Config,
  ) {
    this.timeoutMs = Math.min(MAX_SEARCH_S * 1_000, config.database.statementTimeoutMs);
  }

  /** Runs reads in the open transaction, and limits the duration of each. @throws {SearchTooExpensiveError} */
  async limitTime<T>(read: () => Promise<T>): Promise<T> {
    await this.database.query(`SET LOCAL statement_timeout = ${this.timeoutMs}`);
    return read().catch((error: unknown) => {
      throw sqlState(error) === SQLSTATE.queryCanceled ? new SearchTooExpensiveError(this.timeoutMs / 1_000) : error;
    });
  }

  /**
   * Entries whose codes begin with the query; with its words in titles; or with its words. An entry may appear more
   * than once, also in several steps.
   *
   * @param limit of each of these, per kind.
   */
  findMatching(
    workspaceId: string,
    query: SearchQuery,
    searched: readonly SearchedSources[],
    { step, limit }: { step: SearchStep; limit: number },
  ): Promise<Candidate[]> {
    const { bind, parameters } = createParameters(workspaceId);
    const branches = searched.flatMap(({ kind, sources }) => {
      const names = bind(sources);
      const select = toSelect(kind, names);
      const toWords = (inTitle: boolean) => `${bind(toWordQuery(workspaceId, kind, query, inTitle))}::tsquery`;
      const toAll = (words: string) => `${select} AND words @@ ${words} LIMIT ${limit}`;
      const first = Math.max(MIN_FIRST_ENTRIES, Math.ceil(FIRST_ENTRIES / Math.max(1, sources.length)));
      const toFrequent = (words: string) =>
        `SELECT '${kind}' AS kind, source, id FROM (
           SELECT e.source, e.id, count(*) OVER (PARTITION BY e.source) AS found
             FROM unnest((${names}::text[])[1:${MAX_SAMPLED_SOURCES}]) s (source)
             CROSS JOIN LATERAL (
               SELECT source, id, words FROM search_entries WHERE workspace_id = $1 AND source = s.source
                ORDER BY id LIMIT ${first}) e
            WHERE e.words @@ ${words}) f
          WHERE found >= ${first / FREQUENT_AMONG} ORDER BY source, id LIMIT ${limit}`;
      switch (step) {
        case 'codes':
          return [toCodeBranch(select, toStoredCode(kind, query.code), bind, limit), toFrequent(toWords(true))];
        case 'titles':
          return [toAll(toWords(true)), toFrequent(toWords(false))];
        case 'texts':
          return [toAll(toWords(false))];
      }
    });
    return this.readBranches(branches, parameters);
  }

  /** Entries that contain each word of the query, its beginning or a similar word. */
  findSimilar(
    workspaceId: string,
    query: SearchQuery,
    searched: readonly SearchedSources[],
    limit: number,
  ): Promise<Candidate[]> {
    const { bind, parameters } = createParameters(workspaceId);
    const branches = searched.map(({ kind, sources }) => {
      const words = bind(toWordQuery(workspaceId, kind, query, false));
      return `${toSelect(kind, bind(sources))} AND words @@ ${words}::tsquery LIMIT ${limit}`;
    });
    return this.readBranches(branches, parameters);
  }

  /** The query with the words of the workspace from which its words differ by a typing error. */
  async addSimilarWords(workspaceId: string, query: SearchQuery): Promise<SearchQuery> {
    const typed = query.words.map(({ text }) => text).filter(mayContainError);
    if (typed.length === 0) return query;
    const found = await this.database.query<{ word: string }>(
      'SELECT DISTINCT word FROM search_words WHERE workspace_id = $1 AND variant = ANY ($2::text[]) ORDER BY word',
      [workspaceId, typed.flatMap(listVariants)],
      PLAN_EACH_TIME,
    );
    const toSimilar = (text: string) =>
      found.flatMap(({ word }) => (isMistyped(text, word) ? [word] : [])).slice(0, MAX_SIMILAR);
    const words = query.words.map(({ text }) => ({
      text,
      similar: new Set(mayContainError(text) ? toSimilar(text) : []),
    }));
    return { ...query, words };
  }

  private readBranches(branches: readonly string[], parameters: readonly unknown[]): Promise<Candidate[]> {
    if (branches.length === 0) return Promise.resolve([]);
    const sql = branches.map((branch) => `(SELECT kind, source, id FROM (${branch}) b)`).join(' UNION ALL ');
    return this.database.query(sql, parameters, PLAN_EACH_TIME);
  }
}

function toSelect(kind: SearchKind, sources: string): string {
  return `SELECT '${kind}' AS kind, source, id, words FROM search_entries WHERE workspace_id = $1 AND source = ANY (${sources}::text[])`;
}

function toCodeBranch(select: string, code: string, bind: (value: unknown) => string, limit: number): string {
  return `${select} AND code >= ${bind(code)} AND code < ${bind(code + LAST_CHARACTER)} ORDER BY code, id LIMIT ${limit}`;
}

/** The first parameter is the workspace. */
function createParameters(workspaceId: string) {
  const parameters: unknown[] = [workspaceId];
  return { parameters, bind: (value: unknown) => `$${parameters.push(value)}` };
}
