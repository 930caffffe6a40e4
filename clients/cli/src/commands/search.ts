import type { SearchHit, SearchKind } from '@atrium/client';
import { parseCount } from '../options.js';
import type { Program, Runner } from '../runner.js';

/** What a hit is, if it is not a row, whose table is shown. */
const KINDS: Record<SearchKind, string> = {
  rows: 'table',
  notes: 'note',
  projects: 'project',
  tours: 'tour',
  tags: 'tag',
};

export function addSearchCommand(program: Program, { inWorkspace }: Runner): void {
  program
    .command('search <words...>')
    .description('search rows, notes, projects, tours and tags')
    .option('--kinds <kinds>', 'only these of rows,notes,projects,tours,tags')
    .option('--tables <tables>', 'only rows of these tables, for example assets/Equipment')
    .option('--limit <number>', 'hits of each kind', parseCount, 10)
    .action(
      inWorkspace(async ({ client, output, signal }, words, { kinds, tables, limit }) => {
        const { groups, isCurrent } = await client.search(words.join(' '), {
          // The service rejects others.
          kinds: kinds?.split(',') as SearchKind[] | undefined,
          tables: tables?.split(','),
          limit,
          signal,
        });
        const hits = groups.flatMap(({ kind, items }) => items.map((hit) => ({ kind, ...hit })));
        await output.table(hits, ['found', 'id', 'title', 'match'], toCells);
        for (const { kind, hasMore } of groups)
          if (hasMore) output.remark(`There may be more ${kind}. Search more words, or set --limit.`);
        const omitted = Object.keys(KINDS).filter((kind) => !groups.some((group) => group.kind === kind));
        if (!kinds && !tables && omitted.length > 0)
          output.remark(`Not searched, because the credentials lack the scope: ${omitted.join(', ')}.`);
        if (!isCurrent) output.remark('The index is being built: hits may be missing. Search again in a moment.');
      }),
    );
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
