import type { AtriumClient, TableSummary } from '@atrium/client';
import { useContext, useEffect, useState } from 'preact/hooks';
import { AccessContext, useMayWrite } from './access.js';
import { ErrorMessage, formatCount, ScrollRegion, Status, Time } from './messages.js';
import { ENTITIES, ENTITY_TITLES, type EntityPath, formatRoute, type Route } from './routes.js';
import { Proposals } from './proposals.js';
import { type RowPage, toQuery } from './tables.js';
import { type Page, usePages } from './use-pages.js';

const PAGE_TABLES = 50;

/** Names that browsers would resolve in the path of a request. */
const RESOLVED_NAMES = ['.', '..'];

interface Properties {
  client: AtriumClient;
  route: Route;
}

/** The tables of a workspace, by their entity. */
export function TableList({ client, route }: Properties) {
  return (
    <>
      <h1 tabIndex={-1}>Tables</h1>
      <AccessSummary />
      <Proposals client={client} opened={route.proposal} />
      {ENTITIES.map((entity) => (
        <EntitySection key={entity} client={client} route={route} entity={entity} />
      ))}
    </>
  );
}

/** What the caller may see and change in the workspace. */
function AccessSummary() {
  const access = useContext(AccessContext);
  const mayWrite = useMayWrite();
  if (!access) return null;
  return (
    <details>
      <summary>What you may see and change here</summary>
      <ul>
        <li>Your role in this workspace is {access.role}.</li>
        <li>
          {mayWrite
            ? 'You may change rows and import files.'
            : `You may only read${access.role === 'reader' ? '' : ': your credentials lack the scope write:workspaces'}.`}
        </li>
        <li>
          The page lists the tables, rows and columns that you may see. An access policy may hide others, or permit
          changes of some of them.
        </li>
        <li>
          Scopes: <code>{access.scopes.join(' ')}</code>
        </li>
      </ul>
    </details>
  );
}

function EntitySection({ client, route, entity }: Properties & { entity: EntityPath }) {
  const { items, error, isLoading, hasMore, loadMore } = usePages<TableSummary, Page<TableSummary>>(
    (cursor, signal) => {
      const query = toQuery({ limit: String(PAGE_TABLES), cursor });
      return client.json('GET', `${client.tablesPath}/${entity}?${query}`, { signal });
    },
    [client, entity],
  );
  const counts = useRowCounts(client, entity, items);
  const title = ENTITY_TITLES[entity];
  const status = isLoading ? 'Loading the tables …' : formatCount(items.length, 'table');
  return (
    <section aria-labelledby={entity}>
      <h2 id={entity}>{title}</h2>
      <Status>{error === undefined ? `${status}${hasMore ? '. There are more.' : ''}` : ''}</Status>
      <ErrorMessage error={error} />
      {items.length > 0 && (
        <ScrollRegion label={`Tables of ${title.toLowerCase()}`}>
          <table>
            <thead>
              <tr>
                <th scope="col">Table</th>
                <th scope="col" class="number">
                  Rows
                </th>
                <th scope="col" class="number">
                  Columns
                </th>
                <th scope="col">Last change</th>
              </tr>
            </thead>
            <tbody>
              {items.map(({ id, name, columnCount, updatedAt }) => (
                <tr key={id}>
                  <th scope="row">
                    <a
                      href={formatRoute({ workspaceId: route.workspaceId, entity, table: toTableReference(name, id) })}
                    >
                      {name}
                    </a>
                  </th>
                  <td class="number">{counts[id] ?? '…'}</td>
                  <td class="number">{columnCount}</td>
                  <td>
                    <Time value={updatedAt} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
      {hasMore && (
        <button type="button" disabled={isLoading} onClick={loadMore}>
          Load more tables
        </button>
      )}
    </section>
  );
}

/** A name that would be resolved in an address is replaced by the ID. */
function toTableReference(name: string, id: string): string {
  return RESOLVED_NAMES.includes(name) ? id : name;
}

/** Numbers of rows by the ID of the table. They are counted one after the other: a large table takes a while. */
function useRowCounts(
  client: AtriumClient,
  entity: EntityPath,
  tables: readonly TableSummary[],
): Record<string, string> {
  const [counts, setCounts] = useState<Record<string, string>>({});
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const count = async () => {
      for (const { id } of tables.filter((table) => counts[table.id] === undefined)) {
        const path = `${client.tablesPath}/${entity}/${id}/items?limit=1&count=exact`;
        const counted = await client.json<RowPage>('GET', path, { signal }).then(
          ({ total = 0 }) => total.toLocaleString('en'),
          () => 'not counted',
        );
        if (signal.aborted) return;
        setCounts((former) => ({ ...former, [id]: counted }));
      }
    };
    void count();
    return () => {
      controller.abort();
    };
  }, [client, entity, tables.length]);
  return counts;
}
