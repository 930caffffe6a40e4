import { Injectable } from '@nestjs/common';
import { listCallerPolicies } from '../../platform/security/caller-policies.js';
import { NoteTextsService } from '../notes/note-texts.service.js';
import { RowTextsService, type SearchedTable } from '../workspace-tables/query/row-texts.service.js';
import type { PermittedPart } from './search-candidates.repository.js';
import type { SearchKind } from './search-kinds.js';

/** Rows of all tables together, and notes, that are listed for a caller with a policy. */
const MAX_PERMITTED = 10_000;

/** Rows of a table that are listed, at least. */
const MIN_PER_TABLE = 100;

/** Entries of a larger part that are compared: frequent words are in many of them, and the index finds the others. */
const FIRST_PERMITTED = 2_000;

/** The entries of a source that the caller may read, or some of them. */
export interface ListedPart extends PermittedPart {
  isWhole: boolean;
}

/** Lists what policies permit the caller to read, so that a search reads nothing else (ADR 0183). */
@Injectable()
export class PermittedParts {
  constructor(
    private readonly rows: RowTextsService,
    private readonly notes: NoteTextsService,
  ) {}

  /** @returns the parts of the sources of which a policy permits some rows or notes. */
  async list(
    workspaceId: string,
    kinds: readonly SearchKind[],
    tables: readonly SearchedTable[],
  ): Promise<{ isRestricted: boolean; parts: ListedPart[] }> {
    if (listCallerPolicies(workspaceId).length === 0) return { isRestricted: false, parts: [] };
    const parts: ListedPart[] = [];
    const add = (source: string, ids: readonly string[], isWhole: boolean) =>
      parts.push({ source, ids: isWhole ? ids : ids.slice(0, FIRST_PERMITTED), isWhole });
    if (kinds.includes('rows')) {
      const restricted = tables.filter(({ table }) => table.permission?.rows);
      const limit = Math.max(MIN_PER_TABLE, Math.floor(MAX_PERMITTED / Math.max(1, restricted.length)));
      for (const { id, keys } of await this.rows.listKeys(restricted, limit + 1)) add(id, keys, keys.length <= limit);
    }
    const visible = kinds.includes('notes') && (await this.notes.listVisibleIds(workspaceId, MAX_PERMITTED + 1));
    if (visible) {
      const isWhole = [visible.notes, visible.messages].every((ids) => ids.length <= MAX_PERMITTED);
      for (const source of ['notes', 'messages'] as const) add(source, visible[source], isWhole);
    }
    return { isRestricted: true, parts };
  }
}
