import type { Scope } from '../../platform/security/scopes.js';

/** What a search finds, in the order of the response. */
export const SEARCH_KINDS = ['rows', 'notes', 'projects', 'tours', 'tags'] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** The scope with which callers read records of the kind. */
export const KIND_SCOPES = {
  rows: 'read:workspaces',
  notes: 'read:workspaces',
  projects: 'read:projects',
  tours: 'read:tours',
  tags: 'read:tours',
} as const satisfies Record<SearchKind, Scope>;
