import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { SQLSTATE, sqlState } from '../../../packages/sql/src/sql-state.js';
import { toStoredCode, toWordQuery } from './search-entries.js';
import { SearchTooExpensiveError } from './search.errors.js';
import type { SearchKind } from './search-kinds.js';
import { MAX_SEARCH_S } from './search-limits.js';
import type { SearchQuery } from './search-matcher.js';
import {
  END_MARK,
  isMistyped,
  isUnspaced,
  listParts,
  listVariants,
  mayContainError,
  MIN_PART,
} from './search-words.js';

/** Words of the workspace that one word of the query can be similar to. */
const MAX_SIMILAR = 50;

/** Words of the workspace that contain a word of the query, for all words of the query together. */
const MAX_CONTAINING = 100;

/**
 * The steps in which matching entries are found, the best first. A step is only needed where those before it have found
 * too few: the index of words reads all entries with a word, of which there may be a million.
 */
export type SearchStep = 'codes' | 'titles' | 'texts' | 'similar';

/**
 * Entries of a kind that are read to learn whether a word is frequent, the first ones of each source by their keys.
 * Entries with a frequent word are taken from these, without the index of words.
 */
const FIRST_ENTRIES = 2_000;
/** As FIRST_ENTRIES, for similar words: there are many. */
const FIRST_FOR_SIMILAR = 500;
/** The lowest number of first entries that are read of each source. */
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

/** The entries of a source that the caller may read. */
export interface PermittedPart {
  source: string;
  ids: readonly string[];
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
   * Makes PostgreSQL read entries by indexes until the open transaction ends: it expects far too many entries with the
   * beginning of a word, and would rather read all.
   */
  async preferIndexes(): Promise<void> {
    await this.database.query('SET LOCAL enable_seqscan = off');
  }

  /**
   * Entries whose codes begin with the query; with its words in titles; with its words; or with similar words. An entry
   * may appear more than once, also in several steps.
   *
   * @param similar the query of `addSimilarWords`, for the last two steps.
   * @param limit of each of these, per kind.
   */
  findMatching(
    workspaceId: string,
    { query, similar }: { query: SearchQuery; similar: SearchQuery },
    searched: readonly SearchedSources[],
    { step, limit }: { step: SearchStep; limit: number },
  ): Promise<Candidate[]> {
    const { bind, parameters } = createParameters(workspaceId);
    const branches = searched.flatMap(({ kind, sources }) => {
      if (sources.length === 0) return [];
      const names = bind(sources);
      const select = toSelect(kind, names);
      const toWords = (words: SearchQuery, inTitle = false) =>
        `${bind(toWordQuery(workspaceId, kind, words, inTitle))}::tsquery`;
      // Materialized: PostgreSQL would otherwise expect to find `limit` entries soon by the primary key. Only these are
      // sorted: a million may have a word.
      const toAll = (words: string) => `
        WITH found AS MATERIALIZED (${select} AND words @@ ${words})
        SELECT * FROM (SELECT * FROM found LIMIT ${limit}) f ORDER BY array_position(${names}::text[], source), id`;
      const toFrequent = (words: string, read = FIRST_ENTRIES) => {
        const first = Math.max(MIN_FIRST_ENTRIES, Math.ceil(read / sources.length));
        return `SELECT '${kind}' AS kind, source, id FROM (
           SELECT e.source, e.id, count(*) OVER (PARTITION BY e.source) AS found
             FROM unnest((${names}::text[])[1:${MAX_SAMPLED_SOURCES}]) s (source)
             CROSS JOIN LATERAL (
               SELECT source, id, words FROM search_entries WHERE workspace_id = $1 AND source = s.source
                ORDER BY id LIMIT ${first}) e
            WHERE e.words @@ ${words}) f
          WHERE found >= ${first / FREQUENT_AMONG} ORDER BY source, id LIMIT ${limit}`;
      };
      switch (step) {
        case 'codes':
          return [toCodeBranch(select, toStoredCode(kind, query.code), bind, limit), toFrequent(toWords(query, true))];
        case 'titles':
          return [toAll(toWords(query, true)), toFrequent(toWords(query))];
        case 'texts':
          return [toAll(toWords(query)), toFrequent(toWords(similar), FIRST_FOR_SIMILAR)];
        case 'similar':
          return [toAll(toWords(similar))];
      }
    });
    return this.readBranches(branches, parameters);
  }

  /** As `findMatching`, among the entries of parts, those of the first steps first: no index of words is read. */
  findPermitted(
    workspaceId: string,
    query: SearchQuery,
    { kind, parts, limit }: { kind: SearchKind; parts: readonly PermittedPart[]; limit: number },
  ): Promise<Candidate[]> {
    const { bind, parameters } = createParameters(workspaceId);
    const toWords = (inTitle: boolean) => `${bind(toWordQuery(workspaceId, kind, query, inTitle))}::tsquery`;
    const sources = bind(parts.flatMap(({ source, ids }) => ids.map(() => source)));
    const ids = bind(parts.flatMap((part) => part.ids));
    const code = toStoredCode(kind, query.code);
    // OFFSET 0: each entry is read by the primary key, whatever the planner expects of its words.
    const branch = `
      SELECT '${kind}' AS kind, e.source, e.id
        FROM unnest(${sources}::text[], ${ids}::text[]) p (source, id)
        CROSS JOIN LATERAL (
          SELECT * FROM search_entries WHERE workspace_id = $1 AND source = p.source AND id = p.id OFFSET 0) e
       WHERE e.words @@ ${toWords(false)}
       ORDER BY starts_with(e.code, ${bind(code)}) IS TRUE DESC, e.words @@ ${toWords(true)} DESC, e.source, e.id
       LIMIT ${limit}`;
    return this.readBranches([branch], parameters);
  }

  /**
   * The query with the words of the workspace from which its words differ by a typing error, that contain them, or that
   * are parts of them.
   */
  async addSimilarWords(workspaceId: string, query: SearchQuery): Promise<SearchQuery> {
    const texts = query.words.map(({ text }) => text).filter(mayContainError);
    const variants = texts.flatMap((text) => [...listVariants(text), ...listParts(text)]);
    const starts = texts.filter((text) => text.length >= MIN_PART).map((text) => END_MARK + text);
    const found =
      texts.length === 0
        ? []
        : await this.database.query<{ word: string }>(
            `SELECT word FROM search_words WHERE workspace_id = $1 AND variant = ANY ($2::text[])
             UNION ALL
             SELECT w.word FROM unnest($3::text[], $4::text[]) t (first, last)
              CROSS JOIN LATERAL (
                SELECT word FROM search_words WHERE workspace_id = $1 AND variant >= t.first AND variant < t.last
                 ORDER BY variant, word LIMIT ${Math.floor(MAX_CONTAINING / Math.max(1, starts.length))}) w`,
            [workspaceId, variants, starts, starts.map((start) => start + LAST_CHARACTER)],
          );
    const all = [...new Set(found.map(({ word }) => word))];
    const words = query.words.map((word) => {
      const { text, forms } = word;
      const ends = new Set(Array.from(forms).filter((form) => form.length >= MIN_PART && !isUnspaced(form)));
      if (!mayContainError(text)) return { ...word, ends };
      const parts = new Set(listParts(text));
      const similar = all.filter((each) => isMistyped(text, each) || parts.has(each)).toSorted();
      const containing = text.length < MIN_PART ? [] : all.filter((each) => each.includes(text));
      return { ...word, similar: new Set([...similar.slice(0, MAX_SIMILAR), ...containing]), ends };
    });
    return { ...query, words };
  }

  private readBranches(branches: readonly string[], parameters: readonly unknown[]): Promise<Candidate[]> {
    if (branches.length === 0) return Promise.resolve([]);
    const sql = branches.map((branch) => `(SELECT kind, source, id FROM (${branch}) b)`).join(' UNION ALL ');
    return this.database.query(sql, parameters);
  }
}

function toSelect(kind: SearchKind, sources: string): string {
  return `SELECT '${kind}' AS kind, source, id FROM search_entries WHERE workspace_id = $1 AND source = ANY (${sources}::text[])`;
}

function toCodeBranch(select: string, code: string, bind: (value: unknown) => string, limit: number): string {
  return `${select} AND code >= ${bind(code)} AND code < ${bind(code + LAST_CHARACTER)} ORDER BY code, id LIMIT ${limit}`;
}

/** The first parameter is the workspace. */
function createParameters(workspaceId: string) {
  const parameters: unknown[] = [workspaceId];
  return { parameters, bind: (value: unknown) => `$${parameters.push(value)}` };
}
