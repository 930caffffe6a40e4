import { Injectable } from '@nestjs/common';
import * as z from 'zod';
import { NotFoundError } from '../../../packages/errors/src/domain-error.js';
import { MAX_EXPANSIONS } from '../../../packages/tables/src/catalog/request-limits.js';
import { parseStoredJson } from '../../../packages/sql/src/stored-json.js';
import { Config } from '../../platform/config/config.js';
import { MAX_PROPOSED_ROWS, ProposeRowsService } from '../workspace-tables/proposals/propose-rows.service.js';
import { AggregatesService } from '../workspace-tables/query/aggregates.service.js';
import { QueryRowsService } from '../workspace-tables/query/query-rows.service.js';
import type { TableSchema } from '../workspace-tables/query/row-texts.service.js';
import { RowHistoryService } from '../workspace-tables/row-history/row-history.service.js';
import { ReadRowService } from '../workspace-tables/rows/read-row.service.js';
import { MAX_LISTED, MAX_ROWS, MAX_TEXT_LENGTH } from './answers.js';
import { formatTable, KEY, NamedTables, TABLE } from './named-tables.js';
import { terms, defineTool, entriesWith, NEXT_CURSOR, pageOf, reads, text, type Tool, VALUE, writes } from './tool.js';

/** Characters of changes that the answer of a proposal contains. */
const MAX_DIFFERENCE_LENGTH = 8_192;

export const RECORD = z.record(z.string(), z.unknown()).optional();
const AS_OF = { asOf: text(40, 'A revision or a time with its zone, as of which rows are read.').optional() };

/** Which rows are read. */
const SELECTION = {
  table: TABLE,
  filter: RECORD.describe(
    'All must be true: {"name":{"contains":"pump"},"weight":{"gte":100}}. Operators: eq, ne, lt, lte, gt, gte, between, ' +
      'in, notIn, contains, startsWith, endsWith, null; and, or, not combine. A path such as location.name follows references.',
  ),
  q: text(200, 'Only rows with this text in any text column.').optional(),
  under: text(255, 'Only the row with this key and its subtree.').optional(),
  depth: z.int().min(0).optional().describe('With under: the maximum number of levels below the row.'),
  ...AS_OF,
  ...pageOf(MAX_ROWS, 50),
};

const FIELDS = { fields: terms('Columns to return; the key is always included. By default all.') };

/** Rows of a table as arrays with one header. */
const ROWS = { table: z.string(), columns: z.array(z.string()), rows: z.array(z.array(VALUE)), ...NEXT_CURSOR };

type Row = Record<string, unknown>;
const ROW = z.record(z.string(), VALUE);
const changesOf = <Change extends z.ZodType>(change: Change) => z.array(change).max(MAX_PROPOSED_ROWS).default([]);

/** Tools that read rows, and propose changes of them. */
@Injectable()
export class RowTools {
  readonly tools: readonly Tool[] = [
    defineTool({
      ...reads('query_rows', 'Reads rows of a table by a filter, as arrays with one header.'),
      input: {
        ...SELECTION,
        ...FIELDS,
        sort: terms('Columns to sort by; "-weight" is descending.'),
        count: z.enum(['exact', 'estimated']).optional().describe('Adds the total number of rows.'),
      },
      output: { ...ROWS, total: z.int().optional() },
      run: (caller, sent) =>
        this.named.use(caller, sent, async (ref, { fields, sort, ...others }) => {
          const query = { ...others, fields: fields?.join(','), sort: sort?.join(',') };
          const found = await this.queries.list(ref, query);
          const { table, items, total, nextCursor } = found.page!;
          return { ...toArrays(table, found.columns!, parseStoredJson(items.text) as Row[]), total, nextCursor };
        }),
    }),
    defineTool({
      ...reads('aggregate_rows', 'Counts, sums and compares rows by groups, as arrays with one header.'),
      input: {
        ...SELECTION,
        group: terms('Up to three columns; a date by "installed:month", a referenced row by "location.name".'),
        measures: terms('count, or sum(weight), avg, min, max or countDistinct of a column. By default count.'),
        having: RECORD.describe('Conditions on groups and measures: {"count":{"gte":10}}.'),
        sort: terms('Groups and measures to sort by; "-count" is descending.'),
      },
      output: ROWS,
      run: (caller, sent) =>
        this.named.use(caller, sent, async (ref, { group, measures, sort, ...others }) => {
          const query = { ...others, group: group?.join(','), measures: measures?.join(','), sort: sort?.join(',') };
          const { table, items, nextCursor } = await this.aggregates.list(ref, query);
          const rows = items.map((each) => ({ ...each.group, ...each.measures }));
          const header = rows[0] ? Object.keys(rows[0]) : [...(group ?? []), ...(measures ?? ['count'])];
          return { ...toArrays(table, header, rows), nextCursor };
        }),
    }),
    defineTool({
      ...reads('get_row', 'Returns a row with the rows above it and the titles of the rows it refers to.'),
      maxTextLength: MAX_TEXT_LENGTH,
      input: { table: TABLE, key: KEY, ...FIELDS, ...AS_OF },
      output: { table: z.string(), row: ROW, path: entriesWith('key', 'title').optional(), references: RECORD },
      run: (caller, sent) =>
        this.named.use(caller, sent, async (ref, { key, fields, asOf }) => {
          const { columns } = await this.named.definitions.get(ref);
          const keysOf = (...types: string[]) =>
            columns.filter(({ type }) => types.includes(type)).map((each) => each.key);
          const filter = { [columns.find(({ primaryKey }) => primaryKey)!.key]: { eq: key } };
          const references = keysOf('reference', 'hierarchyParent').filter((each) => fields?.includes(each) ?? true);
          const expand = references.slice(0, MAX_EXPANSIONS).join(',') || undefined;
          const query = { filter, fields: fields?.join(','), expand, asOf, limit: 1 };
          const { table, items, expanded } = (await this.queries.list(ref, query)).page!;
          const [row] = parseStoredJson(items.text) as Row[];
          if (!row) throw new NotFoundError('The row');
          const path = keysOf('hierarchyParent')[0] && (await this.rows.getPath(ref, key, asOf)).path;
          return { table: formatTable(table.type, table.name), row, path, references: expanded };
        }),
    }),
    defineTool({
      ...reads('get_row_history', 'Lists the changes of a row, the newest first, also under its former keys.'),
      input: { table: TABLE, key: KEY, ...pageOf(MAX_LISTED, 20) },
      output: { table: z.string(), historySince: z.int(), changes: entriesWith('at', 'change'), ...NEXT_CURSOR },
      run: (caller, sent) =>
        this.named.use(caller, sent, async (ref, { key, ...query }) => {
          const { table, historySince, items, nextCursor } = await this.histories.list(ref, key, query);
          return { table: formatTable(table.type, table.name), historySince, changes: items, nextCursor };
        }),
    }),
    defineTool({
      ...writes('propose_rows', 'Proposes to create, update or delete rows, which needs the approval of a person.'),
      input: {
        table: TABLE,
        rows: changesOf(ROW).describe('Columns that are not sent remain, null clears one.'),
        deleteKeys: changesOf(KEY).describe('Keys of rows to delete.'),
      },
      output: {
        proposalId: z.string(),
        link: z.string().describe('For the person who decides.'),
        counts: z.record(z.string(), z.int()),
        missingKeys: z.array(z.string()).describe('The first of deleteKeys that no row has.'),
        differences: entriesWith('change', 'key').describe('The first ones.'),
      },
      run: (caller, { rows, deleteKeys: keys, ...sent }) =>
        this.named.use(caller, sent, async (ref) => {
          const found = await this.proposing.propose(ref, { rows, keys }, caller.userId);
          const link = `${this.config.http.publicUrl}/tables#/${ref.view.workspaceId}?proposal=${found.proposalId}`;
          let length = 0;
          // So few that the answer is never too large: the proposal is already stored.
          const isShort = (each: object) => (length += JSON.stringify(each).length) <= MAX_DIFFERENCE_LENGTH;
          return { ...found, link, differences: found.differences.filter(isShort) };
        }),
    }),
  ];

  constructor(
    private readonly named: NamedTables,
    private readonly queries: QueryRowsService,
    private readonly aggregates: AggregatesService,
    private readonly rows: ReadRowService,
    private readonly histories: RowHistoryService,
    private readonly proposing: ProposeRowsService,
    private readonly config: Config,
  ) {}
}

function toArrays({ type, name, revision }: TableSchema, header: readonly string[], rows: readonly Row[]) {
  const values = rows.map((row) => header.map((column) => row[column]));
  return { table: formatTable(type, name), revision, columns: header, rows: values };
}
