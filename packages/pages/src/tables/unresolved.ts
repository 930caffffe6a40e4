import type { AtriumClient, components, TableClient } from '@atrium/client';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { useLoad } from './use-load.js';

type Reference = components['schemas']['UnresolvedItemDto'];

/** As many as a filter can name rows. */
export const MAX_UNRESOLVED = 1_000;

/** The most that the API returns at once. */
const PAGE_REFERENCES = 500;

/** The table of a screen; undefined for a moment in the past, of which the API lists no unresolved references. */
export const PresentTable = createContext<{ client: AtriumClient; table: TableClient } | undefined>(undefined);

/** One list per screen of a table: each cell without a title needs it. */
const lists = new WeakMap<TableClient, Promise<Reference[]>>();

/** The first unresolved references of a table, as the API defines them: a row that a policy hides exists. */
export function listUnresolved(client: AtriumClient, table: TableClient): Promise<Reference[]> {
  const list = lists.get(table) ?? readReferences(client, table);
  lists.set(table, list);
  return list;
}

async function readReferences(client: AtriumClient, table: TableClient): Promise<Reference[]> {
  const references: Reference[] = [];
  for await (const reference of client.pages<Reference>(`${table.path}/unresolved?limit=${PAGE_REFERENCES}`))
    if (references.push(reference) === MAX_UNRESOLVED) break;
  return references;
}

/** Does the API list the reference of a row as unresolved? False until the list is read. */
export function useIsUnresolved(column: string, rowKey: string): boolean {
  const present = useContext(PresentTable);
  const { data } = useLoad(present && (() => listUnresolved(present.client, present.table)), [present?.table]);
  return data?.some((reference) => reference.column === column && reference.key === rowKey) ?? false;
}
