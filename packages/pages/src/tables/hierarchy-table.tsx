import type { Column, Row } from '@atrium/client';
import { useState } from 'preact/hooks';
import { RowCells, RowLink } from './cells.js';
import { ColumnHeadings, orderColumns } from './column-headings.js';
import { findPrimaryKey, formatValue, toName, toRootFilter } from './filter.js';
import { ErrorMessage, formatCount, ScrollRegion, Status } from './messages.js';
import { type ContentProperties, mergeExpanded, readRows, type RowPage, toQuery } from './tables.js';
import { usePages } from './use-pages.js';

/** Deeper levels are not indented further, so that they fit. */
const MAX_INDENTED = 12;

interface HierarchyPage extends RowPage {
  /** Numbers of direct children by the key of the row. */
  children: Record<string, number>;
}

interface LevelProperties extends ContentProperties {
  columns: readonly Column[];
  parent: Column;
  level: number;
  /** Absent for the rows without a parent. */
  parentKey?: string;
  onStatus: (text: string) => void;
}

/** The rows by the first column that names a parent. Children are read when their row is opened. */
export function HierarchyTable(properties: ContentProperties) {
  const { definition, route, change } = properties;
  const [status, setStatus] = useState('');
  const columns = orderColumns(definition.columns);
  const parent = columns.find(({ type }) => type === 'hierarchyParent');
  if (!parent) return <p role="alert">The table has no column that names a parent.</p>;
  return (
    <>
      <Status>{status}</Status>
      <ScrollRegion label={`Hierarchy of ${definition.name}`}>
        <table>
          <thead>
            <ColumnHeadings columns={columns} sort={route.sort} change={change} />
          </thead>
          <tbody>
            <Level {...properties} columns={columns} parent={parent} level={1} onStatus={setStatus} />
          </tbody>
        </table>
      </ScrollRegion>
    </>
  );
}

function Level(properties: LevelProperties) {
  const { client, route, table, columns, parent, level, parentKey, onStatus } = properties;
  const { sort, asOf } = route;
  const [open, setOpen] = useState<readonly string[]>([]);
  const primaryKey = findPrimaryKey(columns);

  const load = async (cursor: string | undefined, signal: AbortSignal): Promise<HierarchyPage> => {
    onStatus('Loading rows …');
    const isRoot = parentKey === undefined;
    const filter = toRootFilter(parent.key, primaryKey);
    const path = isRoot ? undefined : `item/children?${toQuery({ key: parentKey })}`;
    const request = { sort, asOf, cursor, filter: isRoot ? filter : undefined };
    const page = await readRows(client, table, columns, request, { path, signal });
    const keys = page.items.map((row) => formatValue(row[primaryKey]));
    const children = await countChildren(properties, keys, signal);
    onStatus(`${formatCount(page.items.length, 'row')} ${isRoot ? 'without a parent' : `below ${parentKey}`}.`);
    return { ...page, children };
  };
  const list = usePages<Row, HierarchyPage>(load, [table, sort, asOf, parentKey]);
  const { items, pages, error, isLoading, hasMore, loadMore } = list;
  const children = Object.fromEntries(pages.flatMap((page) => Object.entries(page.children)));
  const expanded = mergeExpanded(pages);

  const toggle = (key: string) => {
    setOpen((former) => (former.includes(key) ? former.filter((each) => each !== key) : [...former, key]));
  };

  return (
    <>
      {items.map((row) => {
        const key = formatValue(row[primaryKey]);
        const count = children[key] ?? 0;
        const isOpen = open.includes(key);
        return [
          <tr key={key}>
            <th scope="row">
              <span class="node" style={{ '--level': Math.min(level, MAX_INDENTED) - 1 }}>
                {count > 0 ? (
                  <button
                    type="button"
                    class="toggle"
                    aria-expanded={isOpen}
                    aria-label={`${formatCount(count, 'row')} below ${key}`}
                    onClick={() => {
                      toggle(key);
                    }}
                  >
                    {isOpen ? '▾' : '▸'}
                  </button>
                ) : (
                  <span class="toggle" />
                )}
                <span class="hidden">Level {level}: </span>
                <RowLink route={route} rowKey={key} />
              </span>
            </th>
            <RowCells route={route} columns={columns} row={row} expanded={expanded} />
          </tr>,
          isOpen && <Level key={`${key} children`} {...properties} level={level + 1} parentKey={key} />,
        ];
      })}
      {(error !== undefined || hasMore || (isLoading && level > 1)) && (
        <tr>
          <td colSpan={columns.length}>
            <ErrorMessage error={error} />
            {isLoading && 'Loading …'}
            {hasMore && (
              <button type="button" disabled={isLoading} onClick={loadMore}>
                Load more rows{parentKey === undefined ? '' : ` below ${parentKey}`}
              </button>
            )}
          </td>
        </tr>
      )}
    </>
  );
}

/** One request for all rows of a page, so that only rows with children can be opened. */
async function countChildren(
  { client, table, parent, route: { asOf } }: LevelProperties,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<Record<string, number>> {
  if (keys.length === 0) return {};
  const filter = { [toName(parent.key)]: { in: keys } };
  // Many long keys exceed the length of a URL.
  const body = JSON.stringify({ group: parent.key, measures: 'count', filter, asOf, limit: keys.length });
  interface Groups {
    items: { group: Record<string, string>; measures: { count: number } }[];
  }
  const { items } = await client.json<Groups>('POST', `${table.path}/aggregate/query`, { body, signal });
  return Object.fromEntries(items.map(({ group, measures }) => [group[parent.key] ?? '', measures.count]));
}
