import type { AtriumClient, ChangedValues, Row, RowHistoryEntry, Table, TableClient } from '@atrium/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useMayWrite } from './access.js';
import { CellValue } from './cells.js';
import { findPrimaryKey, formatChange, toName } from './filter.js';
import { ErrorMessage, formatCount, ScrollRegion, Status, Time } from './messages.js';
import { RowForm } from './row-form.js';
import { RowNotes } from './row-notes.js';
import { formatRoute } from './routes.js';
import { mergeExpanded, readRows, type TableRoute, toQuery } from './tables.js';
import { useLoad } from './use-load.js';
import { type Page, usePages } from './use-pages.js';
import { UserName } from './user-name.js';

interface Properties {
  client: AtriumClient;
  table: TableClient;
  definition: Table;
  route: TableRoute;
  rowKey: string;
  onClose: () => void;
  /** The row was changed. */
  onChange: () => void;
}

interface HistoryPage extends Page<RowHistoryEntry> {
  historySince: number;
}

const HISTORY_LIMIT = 20;

/** A row with its values, the rows above it, its notes and its changes. */
export function RowDialog(properties: Properties) {
  const { client, definition, route, rowKey, onClose, onChange } = properties;
  const [changes, setChanges] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  // Also after a link of the dialog to another row.
  useEffect(() => {
    title.current?.focus();
  }, [rowKey]);
  return (
    <dialog ref={dialog} aria-labelledby="row-title" onClose={onClose}>
      <header>
        <h2 id="row-title" ref={title} tabIndex={-1}>
          Row {rowKey}
        </h2>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      <div key={`${rowKey} ${changes}`}>
        <RowPath {...properties} />
        <RowValues
          {...properties}
          onChange={() => {
            setChanges(changes + 1);
            onChange();
          }}
        />
        <RowNotes client={client} table={definition} entity={route.entity} rowKey={rowKey} />
        <RowHistory {...properties} />
      </div>
    </dialog>
  );
}

interface RowPathResult {
  path: { key: string; title: string }[];
  truncated: boolean;
}

/** The rows from the top of the hierarchy to this one. */
function RowPath({ client, table, definition, route, rowKey }: Properties) {
  const hasHierarchy = definition.columns.some(({ type }) => type === 'hierarchyParent');
  const query = toQuery({ key: rowKey, asOf: route.asOf });
  const { data, error } = useLoad(
    hasHierarchy
      ? (signal) => client.json<RowPathResult>('GET', `${table.path}/item/path?${query}`, { signal })
      : undefined,
    [table, rowKey, route.asOf],
  );
  if (!data) return <ErrorMessage error={error} />;
  return (
    <nav class="path" aria-label="Path of the row">
      <ol>
        {data.truncated && <li>…</li>}
        {data.path.map(({ key, title }) => (
          <li key={key} aria-current={key === rowKey ? 'page' : undefined}>
            {key === rowKey ? title : <a href={formatRoute({ ...route, row: key })}>{title}</a>}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Read as a page of one row, because a page contains the titles of references. */
function RowValues({ client, table, definition, route, rowKey, onChange }: Properties) {
  const { columns } = definition;
  const [edited, setEdited] = useState<{ item: Row; revision: number }>();
  const [editError, setEditError] = useState<unknown>();
  const mayWrite = useMayWrite() && route.asOf === undefined;
  const edit = () => {
    setEditError(undefined);
    client
      .json<{ item: Row; revision: number }>('GET', `${table.path}/item?${toQuery({ key: rowKey })}`)
      .then(setEdited, setEditError);
  };
  const filter = { [toName(findPrimaryKey(columns))]: { eq: rowKey } };
  const { data, error, isLoading } = useLoad(
    (signal) => readRows(client, table, columns, { filter, asOf: route.asOf, limit: 1 }, { signal }),
    [table, rowKey, route.asOf],
  );
  const row: Row | undefined = data?.items[0];
  if (edited)
    return (
      <RowForm
        table={table}
        columns={columns}
        rowKey={rowKey}
        row={edited}
        onClose={(isSaved) => {
          setEdited(undefined);
          if (isSaved) onChange();
        }}
      />
    );
  const absent = route.asOf === undefined ? 'The row does not exist.' : 'The row did not exist then.';
  return (
    <>
      <ErrorMessage error={error} />
      {!row && !error && <p role="status">{isLoading ? 'Loading the row …' : absent}</p>}
      {row && (
        <dl>
          {columns.map((column) => (
            <div key={column.key}>
              <dt>
                {column.name} <span class="muted">{column.type}</span>
              </dt>
              <dd>
                <CellValue
                  route={route}
                  column={column}
                  value={row[column.key]}
                  rowKey={rowKey}
                  expanded={mergeExpanded(data ? [data] : [])}
                />
              </dd>
            </div>
          ))}
        </dl>
      )}
      <ErrorMessage error={editError} />
      {row && mayWrite && (
        <button type="button" onClick={edit}>
          Edit
        </button>
      )}
    </>
  );
}

function RowHistory({ client, table, definition, rowKey }: Properties) {
  const list = usePages<RowHistoryEntry, HistoryPage>(
    (cursor, signal) => {
      const query = toQuery({ key: rowKey, limit: String(HISTORY_LIMIT), cursor });
      return client.json('GET', `${table.path}/item/history?${query}`, { signal });
    },
    [table, rowKey],
  );
  const { items, pages, error, isLoading, hasMore, loadMore } = list;
  const since = pages[0]?.historySince ?? 0;
  return (
    <section aria-labelledby="history-title">
      <h3 id="history-title">Changes</h3>
      <Status>
        {isLoading
          ? 'Loading the changes …'
          : error === undefined
            ? `${formatCount(items.length, 'change')}${hasMore ? ' are shown' : ''}${since > 0 ? `; stored since revision ${since}` : ''}.`
            : ''}
      </Status>
      <ErrorMessage error={error} />
      <ol class="history">
        {items.map(({ revision, at, by, batchId, change, columns }) => (
          <li key={revision}>
            <p>
              <strong>{change}</strong> <Time value={at} /> <span class="muted">revision {revision}</span>{' '}
              <UserName client={client} id={by} />
              {batchId !== null && (
                <span class="muted">
                  {' '}
                  load <code>{batchId}</code>
                </span>
              )}
            </p>
            <ChangedColumns definition={definition} columns={columns} label={`Values of revision ${revision}`} />
          </li>
        ))}
      </ol>
      {hasMore && (
        <button type="button" disabled={isLoading} onClick={loadMore}>
          Load more changes
        </button>
      )}
    </section>
  );
}

interface ChangedColumnsProperties {
  definition: Table;
  columns: ChangedValues;
  label: string;
}

function ChangedColumns({ definition, columns, label }: ChangedColumnsProperties) {
  const changed = Object.entries(columns);
  if (changed.length === 0) return null;
  const nameOf = (key: string) => definition.columns.find((column) => column.key === key)?.name ?? key;
  return (
    <ScrollRegion label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">From</th>
            <th scope="col">To</th>
          </tr>
        </thead>
        <tbody>
          {changed.map(([key, { from, to }]) => (
            <tr key={key}>
              <th scope="row">{nameOf(key)}</th>
              <td>{from !== null && <del>{formatChange(from)}</del>}</td>
              <td>{to !== null && <ins>{formatChange(to)}</ins>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
