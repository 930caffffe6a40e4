import type { SearchHit, SearchKind } from '@atrium/client';
import { openContext } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import type { Io } from '../io.js';

export interface SearchFlags extends GlobalFlags {
  kinds?: string;
  tables?: string;
  limit: number;
}

/** What a hit is, if it is not a row, whose table is shown. */
const KINDS: Record<SearchKind, string> = {
  rows: 'table',
  notes: 'note',
  projects: 'project',
  tours: 'tour',
  tags: 'tag',
};

/** Prints the best hits of each kind. */
export async function search(words: string[], flags: SearchFlags, io: Io): Promise<void> {
  const { client, output, signal } = await openContext(flags, io);
  const { groups, isCurrent } = await client.search(words.join(' '), {
    // The service rejects others.
    kinds: flags.kinds?.split(',') as SearchKind[] | undefined,
    tables: flags.tables?.split(','),
    limit: flags.limit,
    signal,
  });
  const hits = groups.flatMap(({ kind, items }) => items.map((hit) => ({ kind, ...hit })));
  await output.table(hits, ['found', 'id', 'title', 'match'], toCells);
  for (const { kind, hasMore } of groups)
    if (hasMore) output.remark(`There may be more ${kind}. Search more words, or set --limit.`);
  const omitted = Object.keys(KINDS).filter((kind) => !groups.some((group) => group.kind === kind));
  if (!flags.kinds && !flags.tables && omitted.length > 0)
    output.remark(`Not searched, because the credentials lack the scope: ${omitted.join(', ')}.`);
  if (!isCurrent) output.remark('The index is being built: hits may be missing. Search again in a moment.');
}

function toCells({ kind, id, title, number, table, isMistyped, matches }: SearchHit & { kind: SearchKind }) {
  const found = table ? `${table.type}/${table.name}` : KINDS[kind];
  const [match] = matches;
  const text = match?.parts.map((part, at) => (at % 2 === 1 ? `[${part}]` : part)).join('');
  return {
    found: isMistyped ? `${found}, similar` : found,
    id: number === undefined ? id : `#${number}`,
    title,
    match: match ? `${match.field}: ${text}` : '',
  };
}
