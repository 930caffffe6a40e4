import { completeSignIn, type IssuerSession, type SignInIssuer, startSignIn } from '../sign-in/issuers.js';
import type { Knowledge, Known } from './knowledge.js';
import type { Json } from './page-document.js';
import type { Component, Exchange, ImmutableMap, System } from './swagger-ui.js';

/** The least time between two renewals of the token of an issuer: the former one may have failed. */
const MIN_RENEWAL_MS = 10_000;
/** A timer of a browser that is longer fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The sign-in of the page and its end. */
export function createSignIn(knowledge: Knowledge) {
  const { get, learn, load, forget, serverUrl, subscribe } = knowledge;
  /** Schemes that identify a caller. The credentials of the token endpoint do not. */
  const IDENTITIES = ['oauth2', 'bearer', 'apiKey'];
  let expiry: number | undefined;
  /** The sign-in at an issuer, whose token is that of the scheme `bearer`. */
  let session: IssuerSession | undefined;
  let renewal: number | undefined;

  const findToken = (system: System): string | undefined => {
    const authorized = system.getSystem().authSelectors.authorized();
    return (authorized.getIn(['oauth2', 'token', 'access_token']) ?? authorized.getIn(['bearer', 'value'])) as
      string | undefined;
  };

  /** The end of the token in milliseconds since 1970; undefined if the text is not a token. */
  const findEnd = (token: string): number | undefined => {
    try {
      const claims = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
      return (JSON.parse(atob(claims)) as { exp: number }).exp * 1_000;
    } catch {
      return undefined;
    }
  };

  const endSignIn = () => learn({ state: 'ended', workspaces: [], workspaceId: undefined });

  /**
   * Reads what the caller can access, and again at the end of the token: the service decides whether it has ended,
   * because the clock of the browser may be wrong.
   */
  const start = (system: System): void => {
    window.clearTimeout(expiry);
    const token = findToken(system);
    const remaining = (token === undefined ? 0 : (findEnd(token) ?? 0)) - Date.now();
    const read = () => void load(system.getSystem(), get().workspaceId);
    if (remaining > 0) expiry = window.setTimeout(read, Math.min(remaining, MAX_TIMER_MS));
    read();
  };

  /** Swagger UI reports an error at the logout of a scheme without a value. */
  const findAuthorized = (system: System): string[] => {
    const authorized = system.getSystem().authSelectors.authorized();
    return IDENTITIES.filter((name) => authorized.get(name) !== undefined);
  };

  /** Gives Swagger UI the token of the issuer, and the next one when it is renewed. */
  const authorizeSession = async (system: System, current: IssuerSession): Promise<void> => {
    const value = await current.getAccessToken();
    if (session !== current) return;
    const schema = system.Im.fromJS({ type: 'http', scheme: 'bearer' });
    if (value !== findToken(system))
      system.getSystem().authActions.authorize({ bearer: { name: 'bearer', schema, value } });
    const { renewAt } = current;
    if (renewAt === undefined) return;
    const delayMs = Math.min(Math.max(renewAt - Date.now(), MIN_RENEWAL_MS), MAX_TIMER_MS);
    renewal = window.setTimeout(() => void authorizeSession(system, current), delayMs);
  };

  const forgetSession = (): IssuerSession | undefined => {
    window.clearTimeout(renewal);
    const former = session;
    session = undefined;
    learn({ issuerName: undefined });
    return former;
  };

  const reportError = (error: unknown) => learn({ issuerError: (error as Error).message });

  /** Completes the sign-in with which an issuer has returned to the page, instead of any other identity. */
  const complete = async (system: System): Promise<void> => {
    try {
      const completed = await completeSignIn();
      const { authActions } = system.getSystem();
      const others = findAuthorized(system);
      if (others.length > 0) authActions.logoutWithPersistOption(others);
      session = completed;
      learn({ issuerName: completed.issuerName, issuerError: undefined });
      await authorizeSession(system, completed);
      start(system);
    } catch (error) {
      reportError(error);
    }
  };

  /** Notices that the service no longer accepts the token, or that the operation has ended its session. */
  const checkResponse = (system: System, { url, status, authorization }: Exchange): void => {
    const token = findToken(system);
    if (token === undefined || authorization !== `Bearer ${token}`) return;
    if (status === 401 || (status === 200 && url.endsWith('/v1/api/oauth2/logout'))) endSignIn();
  };

  const createParts = (system: System) => {
    const { React, Im } = system;
    const h = React.createElement;

    const useKnown = (): Known => {
      const [, render] = React.useState({});
      React.useEffect(() => subscribe(() => render({})), []);
      return get();
    };

    const useDemo = (): void => {
      const { clientId, clientSecret, apiKey } = get().demo!;
      const { authActions } = system.getSystem();
      const schema = (value: object) => Im.fromJS(value);
      const token = new URL('v1/api/oauth2/token', serverUrl(system.getSystem()).replace(/\/?$/, '/')).pathname;
      authActions.authorize({
        basic: {
          name: 'basic',
          schema: schema({ type: 'http', scheme: 'basic' }),
          value: { username: clientId, password: clientSecret },
        },
        apiKey: { name: 'apiKey', schema: schema({ type: 'apiKey', in: 'header', name: 'X-API-Key' }), value: apiKey },
      });
      authActions.authorizeApplication({
        name: 'oauth2',
        schema: schema({ type: 'oauth2', flow: 'clientCredentials', tokenUrl: token }),
        scopes: [],
        clientId,
        clientSecret,
      });
      authActions.showDefinitions(false);
    };

    const DemoButton: Component = () => {
      const { demo } = useKnown();
      return demo
        ? h('button', { className: 'btn authorize demo-button', onClick: useDemo }, 'Use the demo workspace')
        : null;
    };

    const leaveFor = (issuer: SignInIssuer) => {
      learn({ issuerError: undefined });
      startSignIn(issuer).catch(reportError);
    };

    const IssuerButtons: Component = () => {
      const { issuers, issuerError } = useKnown();
      const buttons = issuers.map((issuer) => {
        const button = { key: issuer.url, className: 'btn authorize demo-button', onClick: () => leaveFor(issuer) };
        return h('button', button, `Sign in with ${issuer.name}`);
      });
      return h(
        'div',
        { className: 'sign-in-buttons' },
        ...buttons,
        issuerError ? h('p', { role: 'alert' }, issuerError) : null,
      );
    };

    const signOut = () => {
      const former = forgetSession();
      system.getSystem().authActions.logoutWithPersistOption(['bearer']);
      void former?.signOut();
    };

    /** Opens the dialog with empty fields, also on a page that is signed in. */
    const changeIdentity = (): void => {
      const { authActions, authSelectors } = system.getSystem();
      authActions.logoutWithPersistOption(findAuthorized(system).filter((name) => name !== 'apiKey'));
      authActions.showDefinitions(authSelectors.definitionsToAuthorize());
    };

    /** The state of the sign-in below the description of the API; at its end also at the top of the window. */
    const Panel: Component = () => {
      const { state, workspaces, workspaceId, project, tables, issuerName } = useKnown();
      const status = {
        out: 'Press Authorize and enter a client ID and a client secret. Then the operations are filled in with your workspace.',
        loading: 'Reading your workspaces …',
        ended: 'The sign-in has ended.',
        failed: 'Your workspaces could not be read. Reload the page.',
        in: workspaceId ? '' : 'You can access no workspace.',
      }[state];
      const select = (event: { target: { value: string } }) => void load(system.getSystem(), event.target.value);
      const options = workspaces.map(({ id, name }) => h('option', { key: id, value: id }, name));
      const count = Object.values(tables).flat().length;
      const summary = [project ? `project ${project.name}` : 'no project', `${count} tables`].join(', ');
      const button = { type: 'button', className: 'btn authorize', onClick: changeIdentity };
      return h(
        'section',
        { className: 'page-panel', 'data-state': state, role: 'status' },
        status ? h('p', null, status) : null,
        workspaceId
          ? h(
              'p',
              null,
              h('label', null, 'Workspace ', h('select', { value: workspaceId, onChange: select }, ...options)),
              ` ${summary}`,
            )
          : null,
        state === 'ended' ? h('button', button, 'Sign in again') : null,
        state === 'in' ? null : h('div', { className: 'sign-in-buttons' }, h(IssuerButtons, null), h(DemoButton, null)),
        issuerName
          ? h('p', null, `Signed in with ${issuerName} `, h('button', { type: 'button', onClick: signOut }, 'Sign out'))
          : null,
      );
    };

    /** The form of client credentials. A page that is signed in also offers the fields for another client. */
    const wrapOAuth2 = (Original: Component) => (props: Json) => {
      // Swagger UI focuses the user name of the last form, so the dialog would open scrolled down to it.
      React.useEffect(() => document.querySelector<HTMLInputElement>('.auth-container input')?.focus(), []);
      const isSignedIn = (props['authorized'] as ImmutableMap | undefined)?.get('oauth2') !== undefined;
      const button = { type: 'button', className: 'btn change-identity', onClick: changeIdentity };
      return h(
        'div',
        null,
        h(IssuerButtons, null),
        h(DemoButton, null),
        isSignedIn ? h('button', button, 'Sign in as another client') : null,
        h(Original, props),
      );
    };

    /** One identity at a time: of several credentials, Swagger UI would send those of the earlier one, too. */
    const replaceIdentity = (...names: string[]): void => {
      if (!names.some((name) => IDENTITIES.includes(name))) return;
      void forgetSession()?.revoke();
      const others = findAuthorized(system).filter((name) => !names.includes(name));
      // Swagger UI reports an error at a logout before the first authorization.
      if (others.length > 0) system.getSystem().authActions.logout(others);
      forget();
    };

    const wrapActions = {
      // `persistAuthorization` would store the client secret in the browser in addition to the token.
      authorizeOauth2WithPersistOption:
        (authorize: (granted: { auth: Json }) => unknown) => (granted: { auth: Json }) => {
          const isDemo = granted.auth['clientId'] === get().demo?.clientId;
          replaceIdentity('oauth2', ...(isDemo ? ['apiKey'] : []));
          const result = authorize({ ...granted, auth: { ...granted.auth, clientSecret: '' } });
          start(system);
          return result;
        },
      authorizeWithPersistOption: (authorize: (granted: Json) => unknown) => (granted: Json) => {
        replaceIdentity(...Object.keys(granted));
        const result = authorize(granted);
        start(system);
        return result;
      },
      logoutWithPersistOption: (logout: (names: unknown) => unknown) => (names: unknown) => {
        if ((names as string[]).includes('bearer')) void forgetSession()?.revoke();
        const result = logout(names);
        start(system);
        return result;
      },
      persistAuthorizationIfNeeded: () => () => {
        const stored = system.getSystem().authSelectors.authorized().toJS();
        delete stored['basic'];
        // Tokens of an issuer are only in the memory of the page.
        if (session) delete stored['bearer'];
        localStorage.setItem('authorized', JSON.stringify(stored));
      },
    };

    return { Panel, wrapOAuth2, wrapActions, useKnown };
  };

  return { start, complete, checkResponse, createParts };
}
