import type { AtriumClient } from '@atrium/client';
import { render } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { AccessContext, readAccess } from './access.js';
import { CompareScreen } from './compare-screen.js';
import { formatRoute, parseRoute, type Route } from './routes.js';
import { createClient, type Credentials, loadCredentials, signOut, storeCredentials } from './session.js';
import { SignInForm } from './sign-in-form.js';
import { TableList } from './table-list.js';
import { TableScreen } from './table-screen.js';
import { PRODUCT, setTitle } from './title.js';
import { useLoad } from './use-load.js';
import { ErrorMessage, Status } from './messages.js';

interface Workspace {
  id: string;
  name: string;
}

async function listWorkspaces(client: AtriumClient, signal: AbortSignal): Promise<Workspace[]> {
  const workspaces: Workspace[] = [];
  for await (const workspace of client.pages<Workspace>('/v1/api/workspaces', { signal })) workspaces.push(workspace);
  return workspaces;
}

function App() {
  const [credentials, setCredentials] = useState(loadCredentials);
  const [hasEnded, setEnded] = useState(false);
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  const main = useRef<HTMLElement>(null);
  const { workspaceId, entity, table } = route;

  useEffect(() => {
    const readAddress = () => {
      setRoute(parseRoute(location.hash));
    };
    addEventListener('hashchange', readAddress);
    return () => {
      removeEventListener('hashchange', readAddress);
    };
  }, []);

  const navigate = (next: Route) => {
    location.hash = formatRoute(next);
  };
  const change = (next: Partial<Route>) => {
    navigate({ ...route, ...next });
  };

  const endSession = () => {
    storeCredentials(undefined);
    setCredentials(undefined);
    setEnded(true);
  };
  const client = useMemo(
    () => credentials && createClient(credentials, workspaceId, endSession),
    [credentials, workspaceId],
  );
  const { data: workspaces, error } = useLoad(credentials && client && ((signal) => listWorkspaces(client, signal)), [
    credentials,
  ]);

  const { data: access } = useLoad(
    client && workspaceId !== undefined ? (signal) => readAccess(client, signal) : undefined,
    [client],
  );

  useEffect(() => {
    const first = workspaces?.[0];
    if (credentials && first && workspaceId === undefined) location.replace(formatRoute({ workspaceId: first.id }));
  }, [credentials, workspaces, workspaceId]);

  // A new screen begins at its heading, as a new page does.
  const screen = [credentials === undefined, workspaceId, entity, table, route.view === 'compare'].join();
  useEffect(() => {
    const heading = main.current?.querySelector('h1');
    heading?.focus();
    setTitle(heading?.textContent);
  }, [screen]);

  const signOutAndLeave = (current: Credentials) => {
    void signOut(current);
    setCredentials(undefined);
    setEnded(false);
    location.hash = '';
  };

  return (
    <>
      <header>
        <a class="brand" href={formatRoute({ workspaceId })}>
          {PRODUCT}
        </a>
        {workspaces && workspaces.length > 0 && credentials && (
          <label class="workspace">
            Workspace
            <select
              value={workspaceId}
              onChange={({ currentTarget }) => {
                navigate({ workspaceId: currentTarget.value });
              }}
            >
              {workspaces.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <nav aria-label="Documents">
          <a href="guide/">Guide</a>
          <a href="docs">Swagger UI</a>
        </nav>
        {credentials && (
          <button
            type="button"
            onClick={() => {
              signOutAndLeave(credentials);
            }}
          >
            Sign out
          </button>
        )}
      </header>
      <main ref={main}>
        <AccessContext.Provider value={access}>
          {!client || !credentials ? (
            <SignInForm
              hasEnded={hasEnded}
              onSignIn={(granted) => {
                storeCredentials(granted);
                setEnded(false);
                setCredentials(granted);
              }}
            />
          ) : workspaceId === undefined ? (
            <>
              <h1 tabIndex={-1}>Workspaces</h1>
              <ErrorMessage error={error} />
              <Status>{workspaces?.length === 0 ? 'You can access no workspace.' : error ? '' : 'Loading …'}</Status>
            </>
          ) : entity === undefined || table === undefined ? (
            <TableList key={workspaceId} client={client} route={route} />
          ) : route.view === 'compare' ? (
            <CompareScreen key={screen} client={client} route={{ ...route, entity, table }} />
          ) : (
            <TableScreen key={screen} client={client} route={{ ...route, entity, table }} change={change} />
          )}
        </AccessContext.Provider>
      </main>
    </>
  );
}

render(<App />, document.getElementById('app')!);
