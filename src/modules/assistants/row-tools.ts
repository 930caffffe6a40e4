import { Injectable } from '@nestjs/common';
import * as z from 'zod';
import { NotFoundError } from '../../../packages/errors/src/domain-error.js';
import { DescribeTablesService } from '../workspace-tables/admin/describe-tables.service.js';
import { AggregatesService } from '../workspace-tables/query/aggregates.service.js';
import { QueryRowsService } from '../workspace-tables/query/query-rows.service.js';
import { RowHistoryService } from '../workspace-tables/row-history/row-history.service.js';
import { ReadRowService } from '../workspace-tables/rows/read-row.service.js';
import { cutTexts, MAX_CELL_LENGTH, MAX_LISTED, MAX_ROWS, MAX_TEXT_LENGTH, parseRows, toTable } from './answers.js';
import { formatTable, KEY, NamedTables, TABLE } from './named-tables.js';
import { defineTool, entriesWith, names, NEXT_CURSOR, pageOf, ROWS, text, type Tool, VALUE } from './tool.js';

const READS = { scopes: ['read:workspaces'], role: 'reader', isReadOnly: true } as const;

const CONDITIONS = z.record(z.string(), z.unknown()).optional();
const AS_OF = { asOf: text(40, 'A revision or a time with its zone, as of which rows are read.').optional() };

/** Which rows are read. */
const SELECTION = {
  table: TABLE,
  filter: CONDITIONS.describe(
    'All must be true: {"name":{"contains":"pump"},"weight":{"gte":100}}. Operators: eq, ne, lt, lte, gt, gte, between, ' +
      'in, notIn, contains, startsWith, endsWith, null; and, or, not combine. A path such as location.name follows references.',
  ),
  q: text(200, 'Only rows with this text in any text column.').optional(),
  under: text(255, 'Only the row with this key and its subtree.').optional(),
  depth: z.int().min(0).optional().describe('With under: the maximum number of levels below the row.'),
  ...AS_OF,
  ...pageOf(MAX_ROWS, 50),
};

/** Tools that read rows. */
@Injectable()
export class RowTools {
  constructor(
    private readonly named: NamedTables,
    private readonly queries: QueryRowsService,
    private readonly aggregates: AggregatesService,
    private readonly tables: DescribeTablesService,
    private readonly rows: ReadRowService,
    private readonly histories: RowHistoryService,
  ) {}

  list(): Tool[] {
    return [this.queryRows(), this.aggregateRows(), this.getRow(), this.getRowHistory()];
  }

  private queryRows(): Tool {
    return defineTool({
      ...READS,
      name: 'query_rows',
      description: 'Reads rows of a table by a filter, as arrays with one header.',
      input: {
        ...SELECTION,
        fields: names('Columns to return; the key is always included. By default all.'),
        sort: names('Columns to sort by; "-weight" is descending.'),
        count: z.enum(['exact', 'estimated']).optional().describe('Adds the total number of rows.'),
      },
      output: { ...ROWS, total: z.int().optional() },
      run: (caller, { workspaceId, table: name, fields, sort, ...others }) =>
        this.named.use(caller, { workspaceId, table: name }, async (ref) => {
          const query = { ...others, fields: fields?.join(','), sort: sort?.join(',') };
          const { table, items, total, nextCursor } = (await this.queries.list(ref, query)).page!;
          const rows = toTable(parseRows(items.text));
          return { table: formatTable(table), revision: table.revision, ...rows, total, nextCursor };
        }),
    });
  }

  private aggregateRows(): Tool {
    return defineTool({
      ...READS,
      name: 'aggregate_rows',
      description: 'Counts, sums and compares rows by groups, as arrays with one header.',
      input: {
        ...SELECTION,
        group: names('Up to three columns; a date by "installed:month", a referenced row by "location.name".'),
        measures: names('count, or sum(weight), avg, min, max, count or countDistinct of a column. By default count.'),
        having: CONDITIONS.describe('Conditions on groups and measures: {"count":{"gte":10}}.'),
        sort: names('Groups and measures to sort by; "-count" is descending.'),
      },
      output: ROWS,
      run: (caller, { workspaceId, table: name, group, measures, sort, ...others }) =>
        this.named.use(caller, { workspaceId, table: name }, async (ref) => {
          const query = { ...others, group: group?.join(','), measures: measures?.join(','), sort: sort?.join(',') };
          const { table, items, nextCursor } = await this.aggregates.list(ref, query);
          const rows = toTable(items.map((each) => ({ ...each.group, ...each.measures })));
          return { table: formatTable(table), revision: table.revision, ...rows, nextCursor };
        }),
    });
  }

  private getRow(): Tool {
    return defineTool({
      ...READS,
      name: 'get_row',
      description: 'Returns a row by its key, with the rows above it and the titles of the rows that it refers to.',
      input: { table: TABLE, key: KEY, ...AS_OF },
      output: { table: z.string(), row: z.record(z.string(), VALUE), path: entriesWith('key', 'title').optional() },
      run: (caller, { key, asOf, ...sent }) =>
        this.named.use(caller, { ...sent, key }, async (ref) => {
          const { columns } = await this.tables.get(ref);
          const keysOf = (...types: string[]) =>
            columns.filter(({ type }) => types.includes(type)).map((each) => each.key);
          const filter = { [columns.find(({ primaryKey }) => primaryKey)!.key]: { eq: key } };
          const expand = keysOf('reference', 'hierarchyParent').join(',') || undefined;
          const { table, items, expanded } = (await this.queries.list(ref, { filter, expand, asOf, limit: 1 })).page!;
          const [row] = parseRows(items.text);
          if (!row) throw new NotFoundError('The row');
          const isHierarchy = keysOf('hierarchyParent').length > 0;
          const path = isHierarchy ? (await this.rows.getPath(ref, key, asOf)).path : undefined;
          return cutTexts({ table: formatTable(table), row, path, references: expanded }, MAX_TEXT_LENGTH);
        }),
    });
  }

  private getRowHistory(): Tool {
    return defineTool({
      ...READS,
      name: 'get_row_history',
      description: 'Lists the changes of a row, the newest first, also under its former keys.',
      input: { table: TABLE, key: KEY, ...pageOf(MAX_LISTED, 20) },
      output: { table: z.string(), historySince: z.int(), changes: entriesWith('at', 'change'), ...NEXT_CURSOR },
      run: (caller, { limit, cursor, ...sent }) =>
        this.named.use(caller, sent, async (ref) => {
          const page = await this.histories.list(ref, sent.key, { limit, cursor });
          const { table, historySince, items, nextCursor } = page;
          return { table: formatTable(table), historySince, changes: cutTexts(items, MAX_CELL_LENGTH), nextCursor };
        }),
    });
  }
}
