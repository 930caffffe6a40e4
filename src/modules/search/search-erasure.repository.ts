import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { ErasedPerson, ErasureStep } from '../../platform/database/erased-person.js';
import { type ErasureCounts, Erasures } from '../../platform/database/erasures.js';
import { NotePurgeService } from '../notes/note-purge.service.js';
import { RecordSources } from './record-sources.js';
import { toWordQuery } from './search-entries.js';
import { SearchIndexRepository } from './search-index.repository.js';
import { SEARCH_KINDS, type SearchKind } from './search-kinds.js';
import { parseSearch } from './search-matcher.js';
import { listEnds, listVariants, splitWords } from './search-words.js';

type Position = [source: string, id: string];

/** Entries that one step removes. */
const STEP_ENTRIES = 1_000;

/** All but rows, whose cells an erasure does not change. */
const RECORD_KINDS = SEARCH_KINDS.filter((kind) => kind !== 'rows');

/**
 * Removes notes that were deleted, and records and messages after names in their texts were erased. Background work
 * indexes the latter again, as they are now.
 */
@Injectable()
export class SearchErasureRepository implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly sources: RecordSources,
    private readonly erasures: Erasures,
    private readonly purges: NotePurgeService,
    private readonly index: SearchIndexRepository,
  ) {}

  onModuleInit(): void {
    this.purges.onPurge((...args) => this.removeNote(...args));
    this.erasures.registerWorkspaceErasure((...args) => this.erase(...args));
  }

  /** Waits until a step of the background work has ended, which may have read the note. */
  private async removeNote(workspaceId: string, noteId: string, messageIds: readonly string[]): Promise<void> {
    await this.database.query('SELECT 1 FROM search_indexes WHERE workspace_id = $1 FOR UPDATE', [workspaceId]);
    await this.index.remove(workspaceId, 'notes', [noteId]);
    await this.index.remove(workspaceId, 'messages', messageIds);
  }

  private async erase(workspaceId: string, { names }: ErasedPerson, step: ErasureStep): Promise<ErasureCounts> {
    let removed = 0;
    for (const name of names) {
      const query = toQuery(workspaceId, RECORD_KINDS, name);
      if (query === undefined || !(await step(() => this.restart(workspaceId, query)))) continue;
      let after: Position | undefined;
      do {
        const entries = await step(() => this.removeEntries(workspaceId, query, after));
        removed += entries.length;
        after = entries.length === STEP_ENTRIES ? entries.at(-1) : undefined;
      } while (after);
    }
    for (const word of new Set(names.flatMap(splitWords))) await step(() => this.removeWord(workspaceId, word));
    return { search_entries: removed };
  }

  /** Before entries are removed, so that they are indexed again in any case. @returns false if there are none. */
  private async restart(workspaceId: string, query: string): Promise<boolean> {
    const restarted = await this.database.affected(
      `UPDATE search_indexes SET is_pending = true
        WHERE workspace_id = $1
          AND EXISTS (SELECT 1 FROM search_entries e WHERE e.workspace_id = $1 AND e.words @@ $2::tsquery)`,
      [workspaceId, query],
    );
    if (restarted === 0) return false;
    await this.database.affected('DELETE FROM search_positions WHERE workspace_id = $1 AND source = ANY ($2::text[])', [
      workspaceId,
      this.sources.all.map(({ name }) => name),
    ]);
    return true;
  }

  /** @returns the entries of the step, in the order of their positions. */
  private async removeEntries(workspaceId: string, query: string, after: Position | undefined): Promise<Position[]> {
    const found = await this.database.query<{ source: string; id: string }>(
      `SELECT source, id FROM search_entries
        WHERE workspace_id = $1 AND words @@ $2::tsquery AND ($3::text IS NULL OR (source, id) > ($3, $4))
        ORDER BY source, id LIMIT $5`,
      [workspaceId, query, after?.[0] ?? null, after?.[1] ?? null, STEP_ENTRIES],
    );
    await this.database.affected(
      `DELETE FROM search_entries e USING unnest($2::text[], $3::text[]) AS removed (source, id)
        WHERE e.workspace_id = $1 AND e.source = removed.source AND e.id = removed.id`,
      [workspaceId, found.map(({ source }) => source), found.map(({ id }) => id)],
    );
    return found.map(({ source, id }) => [source, id]);
  }

  /** Removes a word from those in which typing errors are found, unless another entry has it. */
  private async removeWord(workspaceId: string, word: string): Promise<void> {
    await this.database.affected(
      `DELETE FROM search_words w
        WHERE w.workspace_id = $1 AND w.variant = ANY ($2::text[]) AND w.word = $3
          AND NOT EXISTS (SELECT 1 FROM search_entries e WHERE e.workspace_id = $1 AND e.words @@ $4::tsquery)`,
      [workspaceId, [...listVariants(word), ...listEnds(word)], word, toQuery(workspaceId, SEARCH_KINDS, word)],
    );
  }
}

/** A `tsquery` for the entries with all words of a text; undefined if it has none. */
function toQuery(workspaceId: string, kinds: readonly SearchKind[], text: string): string | undefined {
  const query = parseSearch(text);
  if (query.words.length === 0) return undefined;
  return kinds.map((kind) => `(${toWordQuery(workspaceId, kind, query, false)})`).join(' | ');
}
