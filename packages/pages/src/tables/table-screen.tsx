import type { Row, Table } from '@atrium/client';
import { useMemo, useState } from 'preact/hooks';
import { RowCells, RowLink } from './cells.js';
import { ColumnHeadings, orderColumns } from './column-headings.js';
import { FilterForm, ReadForm } from './filter-forms.js';
import { findPrimaryKey, formatValue } from './filter.js';
import { HierarchyTable } from './hierarchy-table.js';
import { ErrorMessage, formatCount, ScrollRegion, Status, Time } from './messages.js';
import { RowDialog } from './row-dialog.js';
import { TableHeader } from './table-header.js';
import {
  type ContentProperties,
  createFilter,
  mergeExpanded,
  openTable,
  readRows,
  type RowPage,
  type ScreenProperties,
} from './tables.js';
import { PresentTable } from './unresolved.js';
import { useLoad } from './use-load.js';
import { usePages } from './use-pages.js';

/** The rows of a table, as a list or by their hierarchy. */
export function TableScreen({ client, route, change }: ScreenProperties) {
  // Counts the changes of rows, after which the table and its rows are read again.
  const [changes, setChanges] = useState(0);
  const table = useMemo(() => openTable(client, route), [client, route.entity, route.table, changes]);
  const { data: definition, error, isLoading } = useLoad(() => table.describe(), [table]);
  const present = useMemo(
    () => (route.asOf === undefined ? { client, table } : undefined),
    [client, table, route.asOf === undefined],
  );
  return (
    <PresentTable.Provider value={present}>
      <TableHeader route={route} definition={definition} />
      {definition === undefined && <Status>{isLoading ? 'Loading the table …' : ''}</Status>}
      <ErrorMessage error={error} />
      {definition && (
        <TableContent
          key={changes}
          client={client}
          route={route}
          change={change}
          table={table}
          definition={definition}
        />
      )}
      {definition && route.row !== undefined && (
        <RowDialog
          client={client}
          table={table}
          definition={definition}
          route={route}
          rowKey={route.row}
          onClose={() => {
            change({ row: undefined });
          }}
          onChange={() => {
            setChanges(changes + 1);
          }}
        />
      )}
    </PresentTable.Provider>
  );
}

function TableContent(properties: ContentProperties) {
  const { route, change, definition } = properties;
  const { columns, revision, updatedAt } = definition;
  return (
    <>
      <p class="muted">
        {formatCount(columns.length, 'column')}, revision {revision}, last change <Time value={updatedAt} />
      </p>
      <ColumnList definition={definition} />
      <ReadForm route={route} columns={columns} change={change} />
      {route.view === 'hierarchy' ? (
        <HierarchyTable {...properties} />
      ) : (
        <>
          <FilterForm route={route} columns={columns} change={change} />
          <RowList {...properties} />
        </>
      )}
    </>
  );
}

function ColumnList({ definition: { columns } }: { definition: Table }) {
  return (
    <details>
      <summary>Columns</summary>
      <ScrollRegion label="Columns">
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Key</th>
              <th scope="col">Type</th>
              <th scope="col">Options</th>
            </tr>
          </thead>
          <tbody>
            {columns.map(({ key, name, type, primaryKey, required, options }) => (
              <tr key={key}>
                <th scope="row">{name}</th>
                <td>
                  <code>{key}</code>
                </td>
                <td>{type}</td>
                <td>
                  {[
                    ...(primaryKey ? ['primary key'] : []),
                    ...(required ? ['required'] : []),
                    ...Object.entries(options).map(([option, value]) => `${option}: ${describeOption(value)}`),
                  ].join(', ')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </details>
  );
}

/** The table of a reference is an object. */
function describeOption(value: unknown): string {
  const { entity, table } = (value ?? {}) as { entity?: string; table?: string };
  return entity && table ? `${entity} ${table}` : JSON.stringify(value);
}

function RowList({ client, route, change, table, definition }: ContentProperties) {
  const { search, sort, asOf, conditions, unresolved } = route;
  const columns = orderColumns(definition.columns);
  const list = usePages<Row, RowPage>(
    async (cursor, signal) => {
      const filter = await createFilter(client, table, definition, route);
      const request = { filter, search, sort, asOf, cursor, counts: cursor === undefined };
      return readRows(client, table, columns, request, { signal });
    },
    [table, search, sort, asOf, unresolved, JSON.stringify(conditions)],
  );
  const { items, pages, error, isLoading, hasMore, loadMore } = list;
  const total = pages[0]?.total ?? 0;
  const shown = hasMore ? `, ${items.length.toLocaleString('en')} are shown` : '';
  const primaryKey = findPrimaryKey(columns);
  const expanded = mergeExpanded(pages);
  return (
    <>
      <Status>
        {isLoading ? 'Loading rows …' : error === undefined ? `${formatCount(total, 'row')}${shown}.` : ''}
      </Status>
      <ErrorMessage error={error} />
      <ScrollRegion label={`Rows of ${definition.name}`}>
        <table aria-busy={isLoading}>
          <thead>
            <ColumnHeadings columns={columns} sort={sort} change={change} />
          </thead>
          <tbody>
            {items.map((row) => {
              const key = formatValue(row[primaryKey]);
              return (
                <tr key={key}>
                  <th scope="row">
                    <RowLink route={route} rowKey={key} />
                  </th>
                  <RowCells route={route} columns={columns} row={row} expanded={expanded} />
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollRegion>
      {hasMore && (
        <button type="button" disabled={isLoading} onClick={loadMore}>
          Load more rows
        </button>
      )}
    </>
  );
}
