import { Injectable } from '@nestjs/common';
import * as z from 'zod';
import { InvalidCursorError } from '../../../packages/sql/src/keyset.js';
import { resolveTargetWorkspace } from '../../platform/security/workspace-access.js';
import { SearchService } from '../search/search.service.js';
import { DescribeTablesService } from '../workspace-tables/admin/describe-tables.service.js';
import { TableDefinitionsService } from '../workspace-tables/query/table-definitions.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { MAX_LISTED, MAX_ROWS } from './answers.js';
import { formatTable, NamedTables, TABLE } from './named-tables.js';
import { defineTool, entriesWith, NEXT_CURSOR, pageOf, READS, text, type Tool } from './tool.js';

/** Tools that find tables and rows. */
@Injectable()
export class TableTools {
  readonly tools: readonly Tool[] = [
    defineTool({
      ...READS,
      name: 'list_tables',
      description: 'Lists the tables of the workspace, or the workspaces if the caller has several and names none.',
      input: { name: text(255, 'Only tables whose name contains this text.').optional(), ...pageOf(MAX_ROWS, 100) },
      output: { workspaces: entriesWith('id', 'name').optional(), tables: entriesWith('table', 'id'), ...NEXT_CURSOR },
      run: async (caller, { workspaceId, name = '', limit, cursor = '' }) => {
        if (workspaceId === undefined && caller.workspaceIds.length > 1) {
          const found = await this.workspaces.listForAssistants(caller.workspaceIds);
          return { workspaces: found.map(({ assistants, ...each }) => each), tables: [], nextCursor: null };
        }
        const all = await this.definitions.list(resolveTargetWorkspace(caller, workspaceId));
        const named = all
          .map((each) => ({ table: formatTable(each.entity, each.name), id: each.id, columns: each.columns.length }))
          .filter(({ table }) => table.toLowerCase().includes(name.toLowerCase()));
        // The cursor is the ID of the last table.
        const start = named.findIndex(({ id }) => id === cursor) + 1;
        if (cursor !== '' && start === 0) throw new InvalidCursorError();
        const tables = named.slice(start, start + limit);
        return { tables, nextCursor: start + limit < named.length ? tables.at(-1)!.id : null };
      },
    }),
    defineTool({
      ...READS,
      name: 'describe_table',
      description: 'Returns the columns of a table with their types, and the tables to which columns refer.',
      input: { table: TABLE },
      output: { table: z.string(), id: z.string(), revision: z.int(), columns: entriesWith('key', 'name', 'type') },
      run: async (caller, sent) => {
        const { id, type, name, revision, columns } = await this.named.use(caller, sent, (ref) => this.tables.get(ref));
        const described = columns.map(({ index, ...column }) => ({ ...column, isIndexed: index?.state === 'ready' }));
        return { table: formatTable(type, name), id, revision, columns: described };
      },
    }),
    defineTool({
      ...READS,
      name: 'search',
      description: 'Finds rows, notes, projects, tours and tags by words or by a key, also with typing errors.',
      input: {
        q: text(200, 'Words, beginnings of words, or a key.').min(1),
        kinds: z.array(z.enum(['rows', 'notes', 'projects', 'tours', 'tags'])).optional(),
        tables: z.array(TABLE).max(MAX_LISTED).optional().describe('Only rows of these tables.'),
        limit: z.int().min(1).max(MAX_LISTED).default(10).describe('Hits of each kind.'),
      },
      output: { groups: entriesWith('kind'), isCurrent: z.boolean().describe('Does the index have the last changes?') },
      run: async (caller, { workspaceId, ...query }) => {
        const found = await this.searches.search(caller, resolveTargetWorkspace(caller, workspaceId), query);
        const groups = found.groups.map(({ kind, items, hasMore }) => {
          const hits = items.map(({ table, matches, ...hit }) => {
            const texts = matches.map(({ field, parts }) => ({ field, text: parts.join('') }));
            return { ...hit, table: table && formatTable(table.type, table.name), matches: texts };
          });
          return { kind, hits, hasMore };
        });
        return { groups, isCurrent: found.isCurrent };
      },
    }),
  ];

  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly definitions: TableDefinitionsService,
    private readonly tables: DescribeTablesService,
    private readonly named: NamedTables,
    private readonly searches: SearchService,
  ) {}
}
