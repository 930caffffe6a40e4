import { Injectable } from '@nestjs/common';
import * as z from 'zod';
import { selectPage } from '../../../packages/sql/src/keyset.js';
import { resolveTargetWorkspace } from '../../platform/security/workspace-access.js';
import { SearchService } from '../search/search.service.js';
import { DescribeTablesService } from '../workspace-tables/admin/describe-tables.service.js';
import { TableDefinitionsService } from '../workspace-tables/query/table-definitions.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { MAX_LISTED, MAX_ROWS } from './answers.js';
import { formatTable, NamedTables, TABLE } from './named-tables.js';
import { defineTool, entriesWith, NEXT_CURSOR, pageOf, reads, text, type Tool } from './tool.js';

/** Tools that find tables and rows. */
@Injectable()
export class TableTools {
  readonly tools: readonly Tool[] = [
    defineTool({
      ...reads('list_tables', 'Lists the tables of the workspace, or the workspaces of a caller with several.'),
      input: { name: text(255, 'Only tables whose name contains this text.').optional(), ...pageOf(MAX_ROWS, 100) },
      output: { workspaces: entriesWith('id', 'name').optional(), tables: entriesWith('table', 'id'), ...NEXT_CURSOR },
      run: async (caller, { workspaceId, name = '', ...page }) => {
        if (workspaceId === undefined && caller.workspaceIds.length > 1)
          return {
            workspaces: await this.workspaces.listForAssistants(caller.workspaceIds),
            tables: [],
            nextCursor: null,
          };
        const all = await this.definitions.list(resolveTargetWorkspace(caller, workspaceId));
        const named = all
          .map((each) => ({ table: formatTable(each.entity, each.name), id: each.id, columns: each.columns.length }))
          .filter(({ table }) => table.toLowerCase().includes(name.toLowerCase()));
        const { items, nextCursor } = selectPage(named, ({ id }) => id, page);
        return { tables: items, nextCursor };
      },
    }),
    defineTool({
      ...reads('describe_table', 'Returns the columns of a table with their types and references.'),
      input: { table: TABLE, ...pageOf(MAX_ROWS, 100) },
      output: { table: z.string(), id: z.string(), columns: entriesWith('key', 'name', 'type'), ...NEXT_CURSOR },
      run: (caller, sent) =>
        this.named.use(caller, sent, async (ref, page) => {
          const { id, type, name, revision, columns } = await this.tables.get(ref);
          const { items, nextCursor } = selectPage(columns, ({ key }) => key, page);
          const described = items.map(({ index, ...column }) => ({ ...column, isIndexed: index?.state === 'ready' }));
          return { table: formatTable(type, name), id, revision, columns: described, nextCursor };
        }),
    }),
    defineTool({
      ...reads('search', 'Finds rows, notes, projects, tours and tags by words or a key, also mistyped.'),
      input: {
        q: text(200, 'Words, beginnings of words, or a key.').min(1),
        kinds: z.array(z.enum(['rows', 'notes', 'projects', 'tours', 'tags'])).optional(),
        tables: z.array(TABLE).max(MAX_LISTED).optional().describe('Only rows of these tables.'),
        limit: z.int().min(1).max(MAX_LISTED).default(10).describe('Hits of each kind.'),
      },
      output: {
        groups: z.array(z.looseObject({ kind: z.string(), hits: entriesWith('title') })),
        isCurrent: z.boolean(),
      },
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
