import { Injectable } from '@nestjs/common';
import { InvalidRequestError } from '../../../packages/errors/src/domain-error.js';
import { formatCount } from '../../platform/config/limits.js';
import { ExpensiveReads } from '../../platform/http/expensive-reads.js';
import type { Principal } from '../../platform/security/principal.js';
import { grantsAny } from '../../platform/security/scopes.js';
import { InsufficientScopeError } from '../../platform/security/security.errors.js';
import { resolveWorkspaces } from '../../platform/security/workspace-access.js';
import { findNamedTable, RowTextsService, type SearchedTable } from '../workspace-tables/query/row-texts.service.js';
import type { SearchGroupDto, SearchQueryDto, SearchResultDto } from './dto/search.dto.js';
import { type ListedPart, PermittedParts } from './permitted-parts.js';
import { RecordSources } from './record-sources.js';
import {
  type Candidate,
  SearchCandidatesRepository,
  type SearchedSources,
  type SearchStep,
} from './search-candidates.repository.js';
import { type HitContext, type ScoredHit, SearchHits } from './search-hits.js';
import { SearchIndexer } from './search-indexer.js';
import { KIND_SCOPES, SEARCH_KINDS, type SearchKind } from './search-kinds.js';
import { MAX_QUERY_WORDS } from './search-limits.js';
import { parseSearch, type SearchQuery } from './search-matcher.js';
import { InvalidSearchError } from './search.errors.js';

/** Entries of the index that a search considers: per kind, of codes, of titles, and of other texts. */
const CANDIDATES = 500;

/** As CANDIDATES, for a caller with an access policy, which may hide most of them. */
const RESTRICTED_CANDIDATES = 5_000;

/** Candidates whose texts are read together, at least. */
const READ_TOGETHER = 50;

/** Reads beyond the first are larger: most candidates are not visible to the caller then. */
const MAX_READ_TOGETHER = 200;

/** The hits of a kind as they are found. */
interface Group {
  /** Without those of which `parts` contains all permitted entries. */
  sources: SearchedSources;
  parts: readonly ListedPart[];
  hits: ScoredHit[];
  /** Candidates that were read, by source and ID. */
  seen: Set<string>;
  /** Are there candidates that were not read? */
  hasUnread: boolean;
}

interface Limits {
  /** Hits of each kind. */
  limit: number;
  /** Candidates of each kind and step. */
  maximum: number;
  /** Has the caller an access policy? */
  isRestricted: boolean;
}

/** Finds rows and records of a workspace by words (ADR 0183). */
@Injectable()
export class SearchService {
  constructor(
    private readonly indexer: SearchIndexer,
    private readonly candidates: SearchCandidatesRepository,
    private readonly hits: SearchHits,
    private readonly rows: RowTextsService,
    private readonly records: RecordSources,
    private readonly permitted: PermittedParts,
    private readonly reads: ExpensiveReads,
  ) {}

  /**
   * @throws {InvalidSearchError | InvalidRequestError | InsufficientScopeError | NotFoundError}
   * @throws {SearchTooExpensiveError}
   */
  search(caller: Principal, requested: string, query: SearchQueryDto): Promise<SearchResultDto> {
    const [workspaceId] = resolveWorkspaces(caller, requested) as [string];
    const kinds = chooseKinds(caller, query);
    const words = parseQuery(query.q);
    return this.reads.run(async () => {
      const isCurrent = await this.indexer.catchUp(workspaceId);
      return this.rows.readTogether(() =>
        this.candidates.limitTime(async () => {
          const groups = await this.findGroups(workspaceId, words, kinds, query);
          return { groups, isCurrent };
        }),
      );
    });
  }

  private async findGroups(
    workspaceId: string,
    query: SearchQuery,
    kinds: readonly SearchKind[],
    { tables: named, limit }: SearchQueryDto,
  ): Promise<SearchGroupDto[]> {
    const tables = await this.rows.listVisibleTables(workspaceId);
    const selected = named ? selectTables(tables, named) : tables;
    const { isRestricted, parts } = await this.permitted.list(workspaceId, kinds, selected);
    const whole = new Set(parts.filter(({ isWhole }) => isWhole).map(({ source }) => source));
    const groups = kinds.map((kind): Group => {
      const names = this.records.all.filter((source) => source.kind === kind).map(({ name }) => name);
      const all = kind === 'rows' ? selected.map(({ id }) => id) : names;
      const sources = { kind, sources: all.filter((source) => !whole.has(source)) };
      const own = parts.filter(({ source }) => all.includes(source));
      return { sources, parts: own, hits: [], seen: new Set(), hasUnread: false };
    });
    const context = { workspaceId, tables: selected, query };
    const limits = { limit, maximum: isRestricted ? RESTRICTED_CANDIDATES : CANDIDATES, isRestricted };
    await this.candidates.preferIndexes();
    await this.addMatching('codes', groups, { context, query }, limits);
    await this.addPermitted(listUnfilled(groups, limit), context, limits);
    await this.addMatching('titles', listUnfilled(groups, limit), { context, query }, limits);
    const unfilled = listUnfilled(groups, limit);
    if (unfilled.length > 0) await this.addSimilar(unfilled, context, limits);
    return groups.map(({ sources, hits, hasUnread }) => {
      const sorted = hits.toSorted((a, b) => b.score - a.score);
      const items = sorted.slice(0, limit).map(({ hit }) => hit);
      return { kind: sources.kind, items, hasMore: hits.length > limit || hasUnread };
    });
  }

  /** @param query without similar words; those of the context may be found in addition. */
  private async addMatching(
    step: SearchStep,
    groups: readonly Group[],
    { context, query }: { context: HitContext; query: SearchQuery },
    limits: Limits,
  ): Promise<void> {
    if (groups.length === 0) return;
    const { workspaceId, query: similar } = context;
    const searched = groups.map(({ sources }) => sources);
    const options = { step, limit: limits.maximum };
    const found = await this.candidates.findMatching(workspaceId, { query, similar }, searched, options);
    await this.addHits(groups, context, found, limits);
  }

  /** The hits among what the caller may read, however many other entries have the words. */
  private async addPermitted(groups: readonly Group[], context: HitContext, limits: Limits): Promise<void> {
    for (const group of groups) {
      if (group.parts.length === 0) continue;
      const options = { kind: group.sources.kind, parts: group.parts, limit: limits.maximum };
      const found = await this.candidates.findPermitted(context.workspaceId, context.query, options);
      await this.addHits([group], context, found, limits);
    }
  }

  /** The hits in other texts. Typing errors and parts of words are looked for where there are few of them. */
  private async addSimilar(groups: readonly Group[], context: HitContext, limits: Limits): Promise<void> {
    const similar = await this.candidates.addSimilarWords(context.workspaceId, context.query);
    const similarContext = { ...context, query: similar };
    await this.addMatching('texts', groups, { context: similarContext, query: context.query }, limits);
    if (similar.words.every((word) => word.similar.size + word.ends.size === 0)) return;
    const incomplete = groups.filter(({ hits, hasUnread }) => hits.length < limits.limit && !hasUnread);
    await this.addPermitted(incomplete, similarContext, limits);
    const unfilled = listUnfilled(incomplete, limits.limit);
    await this.addMatching('similar', unfilled, { context: similarContext, query: context.query }, limits);
  }

  private async addHits(
    groups: readonly Group[],
    context: HitContext,
    found: readonly Candidate[],
    { limit, maximum, isRestricted }: Limits,
  ): Promise<void> {
    for (const group of groups) {
      const all = found.filter(({ kind }) => kind === group.sources.kind);
      const unseen = new Map<string, Candidate>();
      for (const each of all)
        if (!group.seen.has(toIdentity(each)) && !unseen.has(toIdentity(each))) unseen.set(toIdentity(each), each);
      const candidates = [...unseen.values()];
      let position = 0;
      for (let size = Math.max(READ_TOGETHER, 2 * limit); position < candidates.length; size = MAX_READ_TOGETHER) {
        if (group.hits.length > limit) break;
        const read = candidates.slice(position, position + size);
        position += read.length;
        for (const each of read) group.seen.add(toIdentity(each));
        addNewHits(group, await this.hits.read(context, read));
      }
      // Entries can be found twice, by their codes and by frequent words. A list that was cut has `maximum` of them. To
      // a caller with an access policy, that would show how many hidden values have the words.
      const isCut = !isRestricted && new Set(all.map(toIdentity)).size >= maximum;
      if (position < candidates.length || isCut) group.hasUnread = true;
    }
  }
}

function listUnfilled(groups: readonly Group[], limit: number): Group[] {
  return groups.filter(({ hits }) => hits.length <= limit);
}

/** A note can be found in a further read by another message. */
function addNewHits(group: Group, hits: readonly ScoredHit[]): void {
  const known = new Set(group.hits.map(({ identity }) => identity));
  group.hits.push(...hits.filter(({ identity }) => !known.has(identity)));
}

function toIdentity({ source, id }: Candidate): string {
  return `${source} ${id}`;
}

/** @throws {InvalidSearchError} */
function parseQuery(q: string): SearchQuery {
  const query = parseSearch(q);
  const { length } = query.words;
  if (length === 0)
    throw new InvalidSearchError('no_words', '`q` contains neither letters nor digits. Send at least one word.');
  if (length <= MAX_QUERY_WORDS) return query;
  const limit = formatCount(MAX_QUERY_WORDS, 'different words');
  throw new InvalidSearchError('too_many_words', `\`q\` has ${length} different words. Send at most ${limit}.`);
}

/**
 * The kinds to search. Without `kinds`, those are omitted whose scope the caller lacks; with `tables`, only rows are
 * searched.
 *
 * @throws {InsufficientScopeError} if `kinds` names a kind whose scope the caller lacks.
 * @throws {InvalidRequestError} if `kinds` excludes the rows of `tables`.
 */
function chooseKinds({ scopes }: Principal, { kinds, tables }: SearchQueryDto): SearchKind[] {
  if (tables && kinds && !kinds.includes('rows')) {
    const message = 'tables selects rows, but kinds does not contain "rows". Add it, or omit tables.';
    throw new InvalidRequestError([{ field: 'tables', code: 'invalid_field', message }]);
  }
  const requested = kinds ?? (tables ? (['rows'] as const) : SEARCH_KINDS);
  const searched = SEARCH_KINDS.filter((kind) => requested.includes(kind));
  const isPermitted = (kind: SearchKind) => grantsAny(scopes, KIND_SCOPES[kind]);
  const rejected = searched.filter((kind) => !isPermitted(kind));
  if ((kinds ?? tables) && rejected.length > 0) throw new InsufficientScopeError([KIND_SCOPES[rejected[0]!]]);
  return searched.filter(isPermitted);
}

/** @throws {InvalidRequestError} if the caller cannot read a table with one of the names. */
function selectTables(tables: readonly SearchedTable[], names: readonly string[]): SearchedTable[] {
  const found = names.map((name) => findNamedTable(tables, name));
  const errors = names.flatMap((name, position) => {
    const message = `No table is "${name.slice(0, 100)}". Send an ID, or entity and name such as "assets/Equipment".`;
    return found[position] ? [] : [{ field: `tables[${position}]`, code: 'unknown_table', message }];
  });
  if (errors.length > 0) throw new InvalidRequestError(errors);
  return [...new Set(found.flatMap((table) => table ?? []))];
}
