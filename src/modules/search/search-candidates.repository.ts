import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Database, PLAN_EACH_TIME } from '../../platform/database/database.js';
import { SQLSTATE, sqlState } from '../../platform/database/database.errors.js';
import { toWordQuery } from './search-entries.js';
import { SearchTooExpensiveError } from './search.errors.js';
import type { SearchKind } from './search-kinds.js';
import { MAX_SEARCH_S } from './search-limits.js';
import type { SearchQuery } from './search-matcher.js';
import { isMistyped, listVariants, mayContainError } from './search-words.js';

/** Words of the workspace that one word of the query can be similar to. */
const MAX_SIMILAR = 50;

/** Entries that `findMatchingFirst` reads of each kind. */
const FIRST_ENTRIES = 2_000;

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
   * Entries whose codes begin with the query, then those with its words in titles, then the others. An entry may appear
   * more than once.
   *
   * @param limit of each of these, per kind.
   */
  findMatching(
    workspaceId: string,
    query: SearchQuery,
    searched: readonly SearchedSources[],
    limit: number,
  ): Promise<Candidate[]> {
    const { bind, parameters } = createParameters(workspaceId);
    const branches = searched.flatMap(({ kind, sources }) => {
      const names = bind(sources);
      const select = toSelect(kind, names);
      const byWords = (inTitle: boolean) =>
        `words @@ ${bind(toWordQuery(workspaceId, kind, query, inTitle))}::tsquery LIMIT ${limit}`;
      return [
        this.toCodeBranch(kind, query, bind, names, limit),
        `${select} AND ${byWords(true)}`,
        `${select} AND ${byWords(false)}`,
      ];
    });
    return this.readBranches(branches, parameters);
  }

  /**
   * As `findMatching`, but only among the first entries of each kind, for queries that match many entries: the index of
   * words would read all of them.
   */
  findMatchingFirst(
    workspaceId: string,
    query: SearchQuery,
    searched: readonly SearchedSources[],
    limit: number,
  ): Promise<Candidate[]> {
    const { bind, parameters } = createParameters(workspaceId);
    const branches = searched.flatMap(({ kind, sources }) => {
      const names = bind(sources);
      const first = `SELECT source, id, words FROM search_entries WHERE workspace_id = $1 AND source = ANY (${names}::text[])
                      ORDER BY source, id LIMIT ${FIRST_ENTRIES}`;
      const toBranch = (inTitle: boolean) =>
        `SELECT '${kind}' AS kind, source, id FROM (${first}) e
          WHERE words @@ ${bind(toWordQuery(workspaceId, kind, query, inTitle))}::tsquery LIMIT ${limit}`;
      return [this.toCodeBranch(kind, query, bind, names, limit), toBranch(true), toBranch(false)];
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

  private toCodeBranch(
    kind: SearchKind,
    { code }: SearchQuery,
    bind: (value: unknown) => string,
    sources: string,
    limit: number,
  ): string {
    return `${toSelect(kind, sources)} AND code >= ${bind(code)} AND code < ${bind(code + LAST_CHARACTER)}
             ORDER BY code, id LIMIT ${limit}`;
  }

  private readBranches(branches: readonly string[], parameters: readonly unknown[]): Promise<Candidate[]> {
    if (branches.length === 0) return Promise.resolve([]);
    const sql = branches.map((branch) => `(${branch})`).join(' UNION ALL ');
    return this.database.query(sql, parameters, PLAN_EACH_TIME);
  }
}

function toSelect(kind: SearchKind, sources: string): string {
  return `SELECT '${kind}' AS kind, source, id FROM search_entries WHERE workspace_id = $1 AND source = ANY (${sources}::text[])`;
}

/** The first parameter is the workspace. */
function createParameters(workspaceId: string) {
  const parameters: unknown[] = [workspaceId];
  return { parameters, bind: (value: unknown) => `$${parameters.push(value)}` };
}
