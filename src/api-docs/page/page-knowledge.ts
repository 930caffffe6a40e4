import type { Browser, Exchange, Json, Known, System } from './page-types.js';

/**
 * What the page knows about the caller, and how it fills in examples and parameters. Runs in the browser: it is sent as text.
 */
export function createKnowledge(browser: Browser) {
  const ENTITIES = ['locations', 'assets', 'lists'];
  let known: Known = { state: 'out', workspaces: [], ids: {}, tables: {}, signed: {} };
  const listeners = new Set<() => void>();
  const learn = (more: Partial<Known>) => {
    known = { ...known, ...more };
    for (const listener of [...listeners]) listener();
  };
  const learnIds = (ids: Record<string, string | undefined>) =>
    learn({
      ids: { ...known.ids, ...(Object.fromEntries(Object.entries(ids).filter(([, id]) => id)) as Known['ids']) },
    });

  /** The value with known IDs in place of those of the example. */
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        typeof each === 'string' ? (known.ids[name] ?? each) : fill(each),
      ]),
    );
  };

  /** The value of a required parameter; undefined if only the caller knows it. */
  const findParameter = (path: string, name: string, example: unknown): string | undefined => {
    if (name === 'workspaceId' || (name === 'id' && path === '/v1/api/workspaces/{id}')) return known.workspaceId;
    if (name === 'id' && path.endsWith('/redeliver')) return known.ids['subscriptionId'];
    if (path.startsWith('/v1/public/attachments/')) return known.signed[path]?.[name];
    // Only for reading: an operation that changes or drops a table must not name one of the caller's.
    const [, entity] = /\/cw\/(locations|assets|lists)\/\{table\}\/items$/.exec(path) ?? [];
    if (name !== 'table' || !entity) return undefined;
    const names = known.tables[entity] ?? [];
    return names.includes(String(example)) ? undefined : names[0];
  };

  /** The signed URLs that records contain, by the path of the operation that they call. */
  const findSigned = (records: Json[]): Known['signed'] => {
    const text = JSON.stringify(records);
    const urls = [...text.matchAll(/\/v1\/public\/attachments\/([^/?"]+)(\/thumbnail)?\?([^"]+)/g)];
    return Object.fromEntries(
      urls
        .reverse()
        .map(([, id, thumbnail = '', query]) => [
          `/v1/public/attachments/{id}${thumbnail}`,
          { id: id!, ...Object.fromEntries(new URLSearchParams(query)) },
        ]),
    );
  };

  const serverUrl = (system: System) =>
    new URL(system.oas3Selectors.selectedServer() || '/', browser.location.href).href;

  /** Reads what the signed-in caller can access. A list that the scopes do not permit stays empty. */
  const load = async (system: System, workspaceId?: string): Promise<void> => {
    const authorized = system.authSelectors.authorized();
    const token = authorized.getIn(['oauth2', 'token', 'access_token']) ?? authorized.getIn(['bearer', 'value']);
    const key = authorized.getIn(['apiKey', 'value']);
    if (!token && !key) {
      learn({
        state: 'out',
        workspaces: [],
        workspaceId: undefined,
        project: undefined,
        ids: {},
        tables: {},
        signed: {},
      });
      return;
    }
    learn({ state: 'loading' });
    const headers: Record<string, string> = token
      ? { Authorization: `Bearer ${token as string}` }
      : { 'X-API-Key': key as string };
    const base = serverUrl(system).replace(/\/$/, '');
    const scopes = (authorized.getIn(['oauth2', 'token', 'scope']) as string | undefined) ?? 'api';
    /** Empty if the scopes of the token do not permit it: the browser would report a failed request. */
    const list = async (scope: string, path: string): Promise<Json[]> => {
      if (!scopes.split(' ').some((each) => each === 'api' || each.endsWith(`:${scope}`))) return [];
      const response = await browser.fetch(base + path, { headers });
      if (response.status === 401) throw new Error('expired');
      const { data } = (await response.json()) as { data?: { items?: Json[] } };
      return data?.items ?? [];
    };
    try {
      const workspaces = (await list('workspaces', '/v1/api/workspaces?limit=100')) as Known['workspaces'];
      const id = workspaceId ?? workspaces[0]?.id;
      if (!id) {
        learn({ state: 'in', workspaces });
        return;
      }
      const inWorkspace = `workspaceId=${id}`;
      const [projects, tours, notes, ...tables] = await Promise.all([
        list('projects', `/v1/api/projects?limit=1&${inWorkspace}`),
        list('tours', `/v1/api/tours?limit=1&${inWorkspace}`),
        list('projects', `/v1/api/notes?limit=20&${inWorkspace}`),
        ...ENTITIES.map((entity) => list('workspaces', `/v2/api/workspaces/${id}/cw/${entity}?limit=100`)),
      ]);
      const project = projects[0] as unknown as Known['project'];
      const names = tables.map((each) => each.map(({ name }) => String(name)));
      learn({
        state: 'in',
        workspaces,
        workspaceId: id,
        project,
        tables: Object.fromEntries(ENTITIES.map((entity, index) => [entity, names[index]!])),
        signed: findSigned(notes),
      });
      const first = (records: Json[]) => records[0]?.['id'] as string | undefined;
      learnIds({ workspaceId: id, projectId: project?.id, tourId: first(tours), threadId: first(notes) });
    } catch {
      learn({ state: 'failed', workspaces: [], workspaceId: undefined });
    }
  };

  /** Remembers IDs of responses that later operations need. */
  const learnFrom = ({ url, ok, text = '' }: Exchange): void => {
    const { pathname } = new URL(url, browser.location.href);
    const [, subscriptionId] = /\/subscriptions\/([^/]+)\/deliveries$/.exec(pathname) ?? [];
    if (ok && subscriptionId) learnIds({ subscriptionId });
    if (!ok || !/(oauth2\/token|\/claims|\/notes|saveThread)$/.test(pathname)) return;
    let body: Json & { data?: Json };
    try {
      body = JSON.parse(text) as typeof body;
    } catch {
      return;
    }
    const data: Json = body.data ?? body;
    const id = (name: string) => data[name] as string | undefined;
    // The session of the page has no refresh token: the example must not revoke it.
    if (pathname.endsWith('/token'))
      learnIds(id('refresh_token') ? { refresh_token: id('refresh_token'), token: id('access_token') } : {});
    else if (pathname.endsWith('/claims')) learnIds({ claimToken: id('claimToken') });
    else learnIds({ threadId: id('id') });
  };

  /** Calls the listener whenever the page learns something. @returns a function that ends this */
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };

  return { get: () => known, learn, learnFrom, load, fill, findParameter, serverUrl, subscribe };
}
