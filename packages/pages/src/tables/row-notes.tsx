import type { AtriumClient, components, Table } from '@atrium/client';
import { ErrorMessage, formatCount, Status, Time } from './messages.js';
import type { EntityPath } from './routes.js';
import { toQuery } from './tables.js';
import { type Page, usePages } from './use-pages.js';

type Note = components['schemas']['NoteDto'];

const NOTES_LIMIT = 20;

interface Properties {
  client: AtriumClient;
  table: Table;
  entity: EntityPath;
  rowKey: string;
}

/** The notes on a location or an asset, the last changed first. Rows of lists have none. */
export function RowNotes(properties: Properties) {
  return properties.entity === 'lists' ? null : <NoteList {...properties} />;
}

function NoteList({ client, table, entity, rowKey }: Properties) {
  const { items, error, isLoading, hasMore, loadMore } = usePages<Note, Page<Note>>(
    (cursor, signal) => {
      const row =
        entity === 'locations' ? { location: rowKey, locationKey: table.id } : { asset: rowKey, assetKey: table.id };
      const query = toQuery({ ...row, sort: '-updatedAt', limit: String(NOTES_LIMIT), cursor });
      return client.json('GET', `${client.workspacePath}/notes?${query}`, { signal });
    },
    [client, table.id, rowKey],
  );
  return (
    <section aria-labelledby="notes-title">
      <h3 id="notes-title">Notes</h3>
      <Status>
        {isLoading ? 'Loading the notes …' : error === undefined ? `${formatCount(items.length, 'note')}.` : ''}
      </Status>
      <ErrorMessage error={error} />
      <ul>
        {items.map(({ id, number, title, status, updatedAt }) => (
          <li key={id}>
            #{number} {title} <span class="badge">{status}</span> <Time value={updatedAt} />
          </li>
        ))}
      </ul>
      {hasMore && (
        <button type="button" disabled={isLoading} onClick={loadMore}>
          Load more notes
        </button>
      )}
    </section>
  );
}
