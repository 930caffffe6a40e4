import type { SignInIssuer } from '../sign-in/issuers.js';
import type { Json, PageDocument, PageRequest, Security } from './page-document.js';
import type { Exchange, System } from './swagger-ui.js';

export type Knowledge = ReturnType<typeof createKnowledge>;

/** What the page knows about the caller; examples and fields are filled in from it. */
export interface Known {
  /** `ended`: the service rejects the token or the API key. `failed`: the service did not respond. */
  state: 'out' | 'loading' | 'in' | 'ended' | 'failed';
  workspaces: { id: string; name: string }[];
  workspaceId?: string;
  project?: { id: string; name: string };
  /** IDs of what was created on the page, by the path of the collection, the newest first. */
  own: Record<string, string[]>;
  /** IDs of what was ended on the page, by the path of the collection, the newest first. */
  ended: Record<string, string[]>;
  /** Number of successful changes, after which lists are read again. */
  changes: number;
  /** Values of fields of bodies by name. */
  ids: Record<string, string>;
  /** Names of tables by entity. */
  tables: Record<string, string[]>;
  /** Parameters of signed URLs by the path of the operation. */
  signed: Record<string, Record<string, string>>;
  demo?: { clientId: string; clientSecret: string; apiKey: string };
  /** At which people sign in. */
  issuers: SignInIssuer[];
  /** The issuer at which the caller is signed in. */
  issuerName?: string;
  /** Why the last sign-in at an issuer failed. */
  issuerError?: string;
}

/** What the page knows about the caller, and how it fills in examples and parameters. */
export function createKnowledge() {
  const ENTITIES = ['locations', 'assets', 'lists'];
  const NOTHING = { own: {}, ended: {}, changes: 0, ids: {}, tables: {}, signed: {} };
  let known: Known = { state: 'out', workspaces: [], issuers: [], ...NOTHING };
  const SESSIONS = '/v1/api/sessions';
  const REJECTED = 'The service rejects the credentials.';
  /** Operations that end what they act on; the pattern contains the collection and the ID. */
  let endings: { method: string; pattern: RegExp }[] = [];
  let currentSystem: System | undefined;
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

  /** The value of an optional parameter. Operations of several workspaces use the selected one. */
  const findOptional = (name: string): string | undefined =>
    name === 'workspaceId' && known.workspaces.length > 1 ? known.workspaceId : undefined;

  /** The value of a required parameter; undefined if only the caller knows it. */
  const findParameter = (path: string, name: string, example: unknown): string | undefined => {
    if (name === 'workspaceId' || (name === 'id' && path === '/v1/api/workspaces/{id}')) return known.workspaceId;
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

  const serverUrl = (system: System) => new URL(system.oas3Selectors.selectedServer() || '/', location.href).href;

  const authorized = () => currentSystem!.getSystem().authSelectors.authorized();
  const grantedScopes = () =>
    ((authorized().getIn(['oauth2', 'token', 'scope']) as string | undefined) ?? 'api').split(' ');

  /** The headers of the first credential that the operation accepts; undefined if there is none. */
  const headersFor = (security: Security): Record<string, string> | undefined => {
    if (security.length === 0) return {};
    const accepts = (scheme: string) => security.some((each) => Object.hasOwn(each, scheme));
    const token = authorized().getIn(['oauth2', 'token', 'access_token']) ?? authorized().getIn(['bearer', 'value']);
    if (token && (accepts('oauth2') || accepts('bearer'))) {
      const needed = security.flatMap((each) => each['oauth2'] ?? []);
      const isGranted = (scope: string) =>
        grantedScopes().some((each) => each === 'api' || each.endsWith(scope.slice(scope.indexOf(':'))));
      return needed.every(isGranted) ? { Authorization: `Bearer ${token as string}` } : undefined;
    }
    const key = authorized().getIn(['apiKey', 'value']);
    if (key && accepts('apiKey')) return { 'X-API-Key': key as string };
    const [username, password] = ['username', 'password'].map((name) => authorized().getIn(['basic', 'value', name]));
    if (!username || !accepts('basic')) return undefined;
    return { Authorization: `Basic ${btoa(`${username as string}:${password as string}`)}` };
  };

  const permits = (security: Security): boolean => headersFor(security) !== undefined;

  const request = async (path: string, security: Security, options: RequestInit = {}): Promise<Response> => {
    const headers = { 'Content-Type': 'application/json', ...headersFor(security) };
    const base = serverUrl(currentSystem!.getSystem()).replace(/\/$/, '');
    // Without the credentials of the browser, which would open its login prompt for rejected ones.
    return fetch(base + path, { ...options, headers, credentials: 'omit' });
  };

  /** The items of a list. */
  const list = async (security: Security, path: string): Promise<Json[]> => {
    const response = await request(path, security);
    if (response.status === 401) throw new Error(REJECTED);
    const { data } = (await response.json()) as { data?: { items?: Json[] } };
    return data?.items ?? [];
  };

  /** Sends the example with known IDs, and learns from the response. @throws {Error} with the message of the service */
  const post = async ({ path, body, security }: PageRequest): Promise<void> => {
    const response = await request(path, security, { method: 'POST', body: JSON.stringify(fill(body)) });
    const text = await response.text();
    if (!response.ok) throw new Error((JSON.parse(text) as { message: string }).message);
    learnFrom({ url: response.url, method: 'POST', ok: true, text });
  };

  /** Empty if the scopes of the token do not permit it: the browser would report a failed request. */
  const read = async (scope: string, path: string): Promise<Json[]> => {
    const security: Security = [{ oauth2: [`read:${scope}`] }, { bearer: [] }, { apiKey: [] }];
    return permits(security) ? list(security, path) : [];
  };

  const readWorkspaces = async () => (await read('workspaces', '/v1/api/workspaces?limit=100')) as Known['workspaces'];

  /** Reads what the signed-in caller can access. A list that the scopes do not permit stays empty. */
  const load = async (system: System, workspaceId?: string): Promise<void> => {
    currentSystem = system;
    if (!permits([{ oauth2: [] }, { bearer: [] }, { apiKey: [] }])) {
      learn({ state: 'out', workspaces: [], workspaceId: undefined, project: undefined, ...NOTHING });
      return;
    }
    learn({ state: 'loading' });
    try {
      const workspaces = await readWorkspaces();
      const id = (workspaces.find((each) => each.id === workspaceId) ?? workspaces[0])?.id;
      if (!id) {
        learn({ state: 'in', workspaces });
        return;
      }
      const inWorkspace = `workspaceId=${id}`;
      const [projects, tours, notes, ...tables] = await Promise.all([
        read('projects', `/v1/api/projects?limit=1&${inWorkspace}`),
        read('tours', `/v1/api/tours?limit=1&${inWorkspace}`),
        read('projects', `/v1/api/notes?limit=20&${inWorkspace}`),
        ...ENTITIES.map((entity) => read('workspaces', `/v2/api/workspaces/${id}/cw/${entity}?limit=100`)),
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
    } catch (error) {
      const isRejected = error instanceof Error && error.message === REJECTED;
      learn({ state: isRejected ? 'ended' : 'failed', workspaces: [], workspaceId: undefined });
    }
  };

  /** Forgets what another identity has created, and the IDs that it has learned. */
  const forget = () => learn(NOTHING);

  /** The ID of the session of an access token. */
  const findSession = (token: string | undefined): string | undefined => {
    const [, claims] = token?.split('.') ?? [];
    if (!claims) return undefined;
    return (JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as { sid?: string }).sid;
  };

  const learnCreated = (collection: string, id: unknown) => {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const others = (known.own[collection] ?? []).filter((each) => each !== String(id));
    learn({ own: { ...known.own, [collection]: [String(id), ...others] } });
  };

  const learnEnded = (collection: string, id: string) => {
    const remaining = (known.own[collection] ?? []).filter((each) => each !== id);
    const ended = [id, ...(known.ended[collection] ?? [])];
    learn({ own: { ...known.own, [collection]: remaining }, ended: { ...known.ended, [collection]: ended } });
    if (collection !== SESSIONS || findSession(known.ids['token']) !== id) return;
    const { token, refresh_token, ...ids } = known.ids;
    learn({ ids });
  };

  /** Finds the operations that end what they act on: each has a field for the ID of that. */
  const readEndings = ({ paths }: PageDocument): void => {
    const toPattern = (path: string) => path.replace(/\{\w+\}/g, '[^/]+');
    endings = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { parameters = [] }]) =>
        parameters.flatMap(({ name, schema }) => {
          if (!schema?.['x-choices']?.ends) return [];
          const [before, after] = path.split(`/{${name}}`) as [string, string];
          return [
            { method: method.toUpperCase(), pattern: RegExp(`^(${toPattern(before)})/([^/]+)${toPattern(after)}$`) },
          ];
        }),
      ),
    );
  };

  /** Remembers what a change created or ended, and IDs that later operations need. */
  const learnFrom = ({ url, ok, method = '', text = '' }: Exchange): void => {
    if (!ok || method === 'GET') return;
    const { pathname } = new URL(url, location.href);
    const path = pathname.slice(Math.max(0, pathname.search(/\/v\d\//)));
    if (method === 'POST') learnFromResponse(path, readData(text));
    for (const ending of endings) {
      const [, collection, id] = (ending.method === method && ending.pattern.exec(path)) || [];
      if (collection && id) learnEnded(collection, id);
    }
    learn({ changes: known.changes + 1 });
    if (path.endsWith('/accept')) void readWorkspaces().then((workspaces) => learn({ workspaces }));
  };

  const readData = (text: string): Json => {
    try {
      const body = JSON.parse(text) as Json;
      return (body['data'] as Json | null | undefined) ?? body;
    } catch {
      return {};
    }
  };

  const learnFromResponse = (path: string, data: Json): void => {
    const text = (name: string) => data[name] as string | undefined;
    const [, tables] = /^(.*\/cw\/)/.exec(path) ?? [];
    if (tables) learnCreated(`${tables}batches`, data['batchId']);
    if (path.endsWith('/oauth2/token')) {
      // The session of the page has no refresh token: the example must not revoke it.
      if (!data['refresh_token']) return;
      learnIds({ refresh_token: text('refresh_token'), token: text('access_token') });
      learnCreated(SESSIONS, findSession(text('access_token')));
    } else if (/\/oauth2\/(logout|revoke)$/.test(path)) {
      const session = findSession(known.ids['token']);
      if (session) learnEnded(SESSIONS, session);
    } else if (path.endsWith('/claims')) {
      learnIds({ claimToken: text('claimToken') });
      learnCreated(path.replace(/\/claims$/, ''), (data['staging'] as Json | null)?.['id']);
    } else {
      if (/\/(notes|saveThread)$/.test(path)) learnIds({ threadId: text('id') });
      learnCreated(path.replace(/\/[^/]+\/restore$/, ''), data['id']);
    }
  };

  /** Calls the listener whenever the page learns something. @returns a function that ends this */
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };

  return {
    get: () => known,
    learn,
    learnFrom,
    forget,
    load,
    fill,
    findParameter,
    findOptional,
    serverUrl,
    subscribe,
    list,
    post,
    permits,
    readEndings,
  };
}
