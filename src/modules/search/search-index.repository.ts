import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { joinLogEnd } from '../events/events.clauses.js';
import type { IndexEntry } from './search-entries.js';
import { SearchPosition } from './search-index.entity.js';
import { listEnds, listVariants, mayContainError } from './search-words.js';

/** Entries that one statement removes. */
const REMOVED_ENTRIES = 5_000;

/** Words whose variants one statement writes: the texts of a page can have a million, with dozens of variants each. */
const WRITTEN_WORDS = 1_000;

/** How far the index of a workspace is. */
export interface IndexState {
  sequence: number;
  isPending: boolean;
  positions: Map<string, IndexPosition>;
}

/** How far a source is indexed. */
export type IndexPosition = Pick<SearchPosition, 'revision' | 'key' | 'changesSince'>;

/** The index of the workspaces: entries, words, and how far they are. */
@Injectable()
export class SearchIndexRepository {
  /** The workspaces whose index lacks something. */
  static readonly due = `
    SELECT i.workspace_id FROM search_indexes i ${joinLogEnd('i.workspace_id')}
     WHERE i.is_pending OR c.last_sequence > i.sequence`;

  constructor(private readonly database: Database) {}

  /** Workspaces whose index lacks something, in random order. */
  async listDue(limit: number): Promise<string[]> {
    const found = await this.database.queryAllWorkspaces<{ id: string }>(
      (isReachable) =>
        `SELECT workspace_id AS id FROM (${SearchIndexRepository.due}) due WHERE ${isReachable('workspace_id')}
          ORDER BY random() LIMIT $1`,
      [limit],
    );
    return found.map(({ id }) => id);
  }

  /** Creates the index of a workspace, empty. */
  async create(workspaceId: string, sequence: number): Promise<void> {
    await this.database.query(
      'INSERT INTO search_indexes (workspace_id, sequence) VALUES ($1, $2) ON CONFLICT (workspace_id) DO NOTHING',
      [workspaceId, sequence],
    );
  }

  /** @returns undefined if the workspace has no index. */
  async find(workspaceId: string): Promise<IndexState | undefined> {
    const [index] = await this.database.query<
      Omit<IndexState, 'positions'> & { positions: (IndexPosition & { source: string })[] }
    >(
      `SELECT i.sequence::float8 AS sequence, i.is_pending AS "isPending",
              (SELECT coalesce(json_agg(json_build_object('source', p.source, 'revision', p.revision, 'key', p.key,
                        'changesSince', p.changes_since)), '[]')
                 FROM search_positions p WHERE p.workspace_id = $1) AS positions
         FROM search_indexes i WHERE i.workspace_id = $1`,
      [workspaceId],
    );
    return index && { ...index, positions: new Map(index.positions.map((each) => [each.source, each])) };
  }

  /** Locks the index until the transaction ends. @returns false if another transaction has locked it. */
  async lock(workspaceId: string): Promise<boolean> {
    const locked = await this.database.query(
      'SELECT 1 FROM search_indexes WHERE workspace_id = $1 FOR UPDATE SKIP LOCKED',
      [workspaceId],
    );
    return locked.length > 0;
  }

  /** @param isComplete does the index contain everything up to the event? */
  async setSequence(workspaceId: string, sequence: number, isComplete: boolean): Promise<void> {
    await this.database.query(
      'UPDATE search_indexes SET sequence = $2, is_pending = NOT $3::boolean WHERE workspace_id = $1',
      [workspaceId, sequence, isComplete],
    );
  }

  async setPosition(
    workspaceId: string,
    source: string,
    { revision, key, changesSince }: IndexPosition,
  ): Promise<void> {
    await this.database.query(
      `INSERT INTO search_positions (workspace_id, source, revision, key, changes_since) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (workspace_id, source) DO UPDATE
          SET revision = excluded.revision, key = excluded.key, changes_since = excluded.changes_since`,
      [workspaceId, source, revision, key, changesSince],
    );
  }

  async removePosition(workspaceId: string, source: string): Promise<void> {
    await this.database.repository(SearchPosition).delete({ workspaceId, source });
  }

  /** Writes entries with different IDs, and their words. */
  async write(workspaceId: string, source: string, entries: readonly IndexEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await this.database.affected(
      `INSERT INTO search_entries AS e (workspace_id, source, id, code, words)
       SELECT $1, $2, n.id, n.code, n.words::tsvector FROM unnest($3::text[], $4::text[], $5::text[]) AS n (id, code, words)
       ON CONFLICT (workspace_id, source, id) DO UPDATE SET code = excluded.code, words = excluded.words
        WHERE (e.code, e.words) IS DISTINCT FROM (excluded.code, excluded.words)`,
      [
        workspaceId,
        source,
        entries.map(({ id }) => id),
        entries.map(({ code }) => code),
        entries.map(({ words }) => words),
      ],
    );
    await this.writeWords(workspaceId, entries);
  }

  async remove(workspaceId: string, source: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.database.affected(
      'DELETE FROM search_entries WHERE workspace_id = $1 AND source = $2 AND id = ANY ($3::text[])',
      [workspaceId, source, ids],
    );
  }

  /** Removes some of the entries of a source. @returns whether others remain. */
  async removeSome(workspaceId: string, source: string): Promise<boolean> {
    const removed = await this.database.affected(
      `DELETE FROM search_entries WHERE workspace_id = $1 AND source = $2 AND id IN (
         SELECT id FROM search_entries WHERE workspace_id = $1 AND source = $2 ORDER BY id LIMIT $3)`,
      [workspaceId, source, REMOVED_ENTRIES],
    );
    return removed === REMOVED_ENTRIES;
  }

  /** Stores the words in which typing errors are found. They remain when the last entry with them is removed. */
  private async writeWords(workspaceId: string, entries: readonly IndexEntry[]): Promise<void> {
    const words = [...new Set(entries.flatMap(({ plainWords }) => [...plainWords]))].filter(mayContainError);
    for (let at = 0; at < words.length; at += WRITTEN_WORDS)
      await this.writeVariants(workspaceId, words.slice(at, at + WRITTEN_WORDS));
  }

  private async writeVariants(workspaceId: string, words: readonly string[]): Promise<void> {
    const known = await this.database.query<{ word: string }>(
      `SELECT word FROM search_words WHERE workspace_id = $1 AND variant = ANY ($2::text[]) AND word = variant`,
      [workspaceId, words],
    );
    const isKnown = new Set(known.map(({ word }) => word));
    const added = words.filter((word) => !isKnown.has(word));
    if (added.length === 0) return;
    const pairs = added.flatMap((word) =>
      [...listVariants(word), ...listEnds(word)].map((variant) => ({ variant, word })),
    );
    await this.database.affected(
      `INSERT INTO search_words (workspace_id, variant, word)
       SELECT $1, n.variant, n.word FROM unnest($2::text[], $3::text[]) AS n (variant, word)
       ON CONFLICT (workspace_id, variant, word) DO NOTHING`,
      [workspaceId, pairs.map(({ variant }) => variant), pairs.map(({ word }) => word)],
    );
  }
}
