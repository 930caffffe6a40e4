import type { AtriumClient, components, NoteField, Table } from '@atrium/client';
import { formatValue } from './filter.js';
import { ErrorMessage, formatCount, Status, Time } from './messages.js';
import type { EntityPath } from './routes.js';
import { toQuery } from './tables.js';
import { type Loaded, useLoad } from './use-load.js';
import { type Page, usePages } from './use-pages.js';

type Note = components['schemas']['NoteDto'];

const NOTES_LIMIT = 20;

interface Properties {
  client: AtriumClient;
  table: Table;
  entity: EntityPath;
  rowKey: string;
}

/** The notes on a location or an asset, or those with the row of a list in a field, the last changed first. */
export function RowNotes({ client, table, entity, rowKey }: Properties) {
  const fields = useLoad(() => client.notes.fields(), [client]);
  const row = describeRow(entity, table, rowKey, fields.data ?? []);
  if (!row) return <ErrorMessage error={fields.error} />;
  return <NoteList client={client} row={row} fields={fields} />;
}

/** What the notes of a row have, as parameters of a list of notes; undefined if no note can have the row. */
function describeRow(
  entity: EntityPath,
  { id, name }: Table,
  key: string,
  fields: readonly NoteField[],
): Record<string, string> | undefined {
  if (entity === 'locations') return { location: key, locationKey: id };
  if (entity === 'assets') return { asset: key, assetKey: id };
  const named = fields.filter(({ type, table }) => type === 'row' && (table === name || table === id));
  return named.length === 0
    ? undefined
    : { filter: JSON.stringify({ or: named.map((field) => ({ [field.key]: key })) }) };
}

interface NoteListProperties {
  client: AtriumClient;
  row: Record<string, string>;
  fields: Loaded<NoteField[]>;
}

function NoteList({ client, row, fields }: NoteListProperties) {
  const { items, error, isLoading, hasMore, loadMore } = usePages<Note, Page<Note>>(
    (cursor, signal) => {
      const query = toQuery({ ...row, sort: '-updatedAt', limit: String(NOTES_LIMIT), expand: 'fields', cursor });
      return client.json('GET', `${client.workspacePath}/notes?${query}`, { signal });
    },
    [client, JSON.stringify(row)],
  );
  return (
    <section aria-labelledby="notes-title">
      <h3 id="notes-title">Notes</h3>
      <Status>
        {isLoading ? 'Loading the notes …' : error === undefined ? `${formatCount(items.length, 'note')}.` : ''}
      </Status>
      <ErrorMessage error={error ?? fields.error} />
      <ul>
        {items.map((note) => (
          <li key={note.id}>
            #{note.number} {note.title} <span class="badge">{note.type}</span> <span class="badge">{note.status}</span>{' '}
            <Time value={note.updatedAt} />
            <FieldValues fields={fields.data ?? []} values={note.fields ?? {}} />
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

/** The fields of a note that have a value, by their names. */
function FieldValues({ fields, values }: { fields: readonly NoteField[]; values: NonNullable<Note['fields']> }) {
  const named = fields.flatMap(({ key, name }) => {
    const value = values[key] ?? null;
    return value === null ? [] : [{ key, name, text: formatFieldValue(value) }];
  });
  if (named.length === 0) return null;
  return (
    <dl>
      {named.map(({ key, name, text }) => (
        <div key={key}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A row and a user have their title; without one, because it is hidden or does not exist, the key or ID. */
function formatFieldValue(value: NonNullable<NonNullable<Note['fields']>[string]>): string {
  if (typeof value !== 'object') return formatValue(value);
  return value.title ?? ('key' in value ? value.key : value.id);
}
