import type { AtriumClient } from '@atrium/client';
import { useMayReadUsers } from './access.js';
import { useLoad } from './use-load.js';

/** The name or the email address of a user, or the ID if the caller cannot read users. */
export function UserName({ client, id }: { client: AtriumClient; id: string | null }) {
  const mayRead = useMayReadUsers();
  const { data } = useLoad(id === null || !mayRead ? undefined : () => findName(client, id), [client, id, mayRead]);
  return <span>{id === null ? 'by the service' : `by ${data ?? id}`}</span>;
}

/** Per client, because another user of the tab may not be allowed to read them. */
const names = new WeakMap<AtriumClient, Map<string, Promise<string>>>();

function findName(client: AtriumClient, id: string): Promise<string> {
  const known = names.get(client) ?? new Map<string, Promise<string>>();
  names.set(client, known);
  const name =
    known.get(id) ??
    client.json<{ displayName: string | null; email: string }>('GET', `/v1/api/users/${id}`).then(
      ({ displayName, email }) => displayName ?? email,
      () => id,
    );
  known.set(id, name);
  return name;
}
