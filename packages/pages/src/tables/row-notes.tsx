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

/** The notes on a location or an asset, and those with the row in a field, the last changed first. */
export function RowNotes({ client, table, entity, rowKey }: Properties) {
  const fields = useLoad(() => client.notes.fields(), [client]);
  const rows = describeRow(entity, table, rowKey, fields.data ?? []);
  if (rows.length === 0) return <ErrorMessage error={fields.error} />;
  return (
    <>
      {rows.map(({ title, query }) => (
        <NoteList key={title} client={client} title={title} row={query} fields={fields} />
      ))}
    </>
  );
}

/** The lists of the notes that a row has, with their parameters; none if no note can have the row. */
function describeRow(
  entity: EntityPath,
  { id, name }: Table,
  key: string,
  fields: readonly NoteField[],
): { title: string; query: Record<string, string> }[] {
  const lists: ReturnType<typeof describeRow> = [];
  if (entity === 'locations') lists.push({ title: 'Notes', query: { location: key, locationKey: id } });
  if (entity === 'assets') lists.push({ title: 'Notes', query: { asset: key, assetKey: id } });
  const named = fields.filter(({ type, table }) => type === 'row' && (table === name || table === id));
  if (named.length === 0) return lists;
  const filter = JSON.stringify({ or: named.map((field) => ({ [field.key]: key })) });
  const title = lists.length === 0 ? 'Notes' : `Notes by ${named.map((field) => field.name).join(', ')}`;
  return [...lists, { title, query: { filter } }];
}

interface NoteListProperties {
  client: AtriumClient;
  title: string;
  row: Record<string, string>;
  fields: Loaded<NoteField[]>;
}

function NoteList({ client, title, row, fields }: NoteListProperties) {
  const { items, error, isLoading, hasMore, loadMore } = usePages<Note, Page<Note>>(
    (cursor, signal) => {
      const query = toQuery({ ...row, sort: '-updatedAt', limit: String(NOTES_LIMIT), expand: 'fields', cursor });
      return client.json('GET', `${client.workspacePath}/notes?${query}`, { signal });
    },
    [client, JSON.stringify(row)],
  );
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
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
