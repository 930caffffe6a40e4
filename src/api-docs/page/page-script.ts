import type { createKnowledge as CreateKnowledgeFunction } from './page-knowledge.js';
import type {
  Browser,
  Component,
  Exchange,
  Group,
  ImmutableMap,
  Json,
  Known,
  Operations,
  System,
} from './page-types.js';
import type { resolveSubtree as ResolveSubtree } from './resolve-subtree.js';

type CreateKnowledge = typeof CreateKnowledgeFunction;

/** Runs in the browser: it is sent as text, so it uses only its arguments, what it contains and what Swagger UI defines. */
export function runPage(createKnowledge: CreateKnowledge, resolveSubtree: typeof ResolveSubtree): void {
  const browser = globalThis as unknown as Browser;
  const { get, learn, learnFrom, load, fill, findParameter, serverUrl, subscribe } = createKnowledge(browser);

  const plugin = (system: System) => {
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

    /** The state of the sign-in below the description of the API. */
    const Panel: Component = () => {
      const { state, workspaces, workspaceId, project, tables } = useKnown();
      const status = {
        out: 'Press Authorize and enter a client ID and a client secret. Then the operations are filled in with your workspace.',
        loading: 'Reading your workspaces …',
        failed: 'The sign-in has expired. Press Authorize again.',
        in: workspaceId ? '' : 'You can access no workspace.',
      }[state];
      const select = (event: { target: { value: string } }) => void load(system.getSystem(), event.target.value);
      const options = workspaces.map(({ id, name }) => h('option', { key: id, value: id }, name));
      const count = Object.values(tables).flat().length;
      const summary = [project ? `project ${project.name}` : 'no project', `${count} tables`].join(', ');
      return h(
        'section',
        { className: 'page-panel', 'data-state': state },
        status ? h('p', null, status) : null,
        workspaceId
          ? h(
              'p',
              null,
              h('label', null, 'Workspace ', h('select', { value: workspaceId, onChange: select }, ...options)),
              ` ${summary}`,
            )
          : null,
        state === 'in' ? null : h(DemoButton, null),
      );
    };

    return {
      afterLoad(this: { fn: System['fn'] }, { fn }: System) {
        const getSampleSchema = fn.getSampleSchema.bind(fn);
        this.fn.getSampleSchema = (...values: unknown[]) => {
          const [schema, type, options, example] = values as [Json & Partial<ImmutableMap>, unknown, unknown, unknown];
          // A parameter that is an object would be filled in with a sample.
          if (type === undefined) return undefined;
          if (type !== false) {
            // The example of a file is its text.
            if (typeof example === 'string') return example;
            const plain =
              typeof (example as ImmutableMap | undefined)?.toJS === 'function'
                ? (example as ImmutableMap).toJS()
                : example;
            return getSampleSchema(schema, type, options, fill(plain));
          }
          // A field of a form: empty, unless the example contains it.
          const { 'x-prefill': prefill } = (typeof schema.toJS === 'function' ? schema.toJS() : schema) as {
            'x-prefill'?: { name: string; value: unknown };
          };
          return prefill ? (fill({ [prefill.name]: prefill.value }) as Json)[prefill.name] : undefined;
        };
      },
      fn: {
        /** Finds operations whose path, ID, summary or group contains every word. */
        opsFilter(
          groups: {
            map(change: (group: Group, tag: string) => Group): { filter(keep: (group: Group) => boolean): unknown };
          },
          phrase: string,
        ) {
          const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
          return groups
            .map((group, tag) => {
              const matches = (operation: ImmutableMap) => {
                const texts = [
                  tag,
                  operation.get('path'),
                  operation.get('method'),
                  operation.getIn(['operation', 'operationId']),
                  operation.getIn(['operation', 'summary']),
                ];
                const text = texts.join(' ').toLowerCase();
                return words.every((word) => text.includes(word));
              };
              return group.set('operations', (group.get('operations') as Operations).filter(matches));
            })
            .filter((group) => (group.get('operations') as { size: number }).size > 0);
        },
      },
      wrapComponents: {
        FilterContainer: (Original: Component) => (props: Json) => {
          React.useEffect(() => {
            browser.document
              .querySelector('.operation-filter-input')
              ?.setAttribute('placeholder', 'Filter by path, name or group');
          });
          return h(Original, props);
        },
        InfoContainer: (Original: Component) => (props: Json) => h('div', null, h(Original, props), h(Panel, null)),
        oauth2: (Original: Component) => (props: Json) => {
          // Swagger UI focuses the user name of the last form, so the dialog would open scrolled down to it.
          React.useEffect(() => browser.document.querySelector('.auth-container input')?.focus(), []);
          return h('div', null, h(DemoButton, null), h(Original, props));
        },
        /** Shows the example of an error on demand: most operations have ten errors, which would hide the others. */
        response: (Original: Component) => (props: Json) => {
          const [isOpen, setOpen] = React.useState(false);
          const code = String(props['code']);
          if (isOpen || code < '400') return h(Original, props);
          const Markdown = system.getSystem().getComponent('Markdown', true);
          const source = (props['response'] as ImmutableMap).get('description');
          return h(
            'tr',
            { className: 'response error-response', 'data-code': code },
            h('td', { className: 'response-col_status' }, code),
            h(
              'td',
              { className: 'response-col_description' },
              h(Markdown, { source }),
              h('button', { type: 'button', onClick: () => setOpen(true) }, 'Example'),
            ),
          );
        },
        // An empty field is not sent. Otherwise every optional field of a form would be sent empty.
        ParameterIncludeEmpty: () => () => null,
        parameterRow: (Original: Component) => (props: Json) => {
          const now = useKnown();
          const parameter = props['param'] as ImmutableMap;
          const [path] = props['pathMethod'] as [string];
          const [filled, setFilled] = React.useState<unknown>(undefined);
          React.useEffect(() => {
            const example = parameter.getIn(['schema', 'example']) ?? parameter.get('example');
            const value = parameter.get('required')
              ? findParameter(path, String(parameter.get('name')), example)
              : undefined;
            if (value === undefined) return;
            const { specSelectors } = props as unknown as System;
            const current = specSelectors
              .parameterWithMetaByIdentity(props['pathMethod'], props['rawParam'])
              ?.get('value') as string | null | undefined;
            if (current !== undefined && current !== null && current !== String(example) && current !== filled) return;
            setFilled(value);
            (props['onChange'] as (parameter: unknown, value: string, isXml: boolean) => void)(
              props['rawParam'],
              value,
              false,
            );
          }, [now]);
          return h(Original, props);
        },
      },
      statePlugins: {
        spec: {
          wrapActions: {
            /**
             * Resolves the references of an expanded operation, and only those. Swagger UI would parse the whole document, and resolve
             * and merge all operations again that were expanded before.
             */
            requestResolvedSubtree: () => (path: readonly string[]) => {
              const { specActions, specSelectors } = system.getSystem();
              const resolved = resolveSubtree(specSelectors.specJS(), path);
              // After the rendering that requests it.
              queueMicrotask(() => specActions.updateResolvedSubtree(path, resolved));
            },
          },
        },
        layout: {
          wrapSelectors: {
            /** All groups with matches are open while a filter is set. */
            isShown:
              (original: (...values: unknown[]) => boolean) =>
              (state: ImmutableMap, thing: unknown, ...rest: unknown[]) => {
                const filter = state.get('filter');
                const isGroup = Array.isArray(thing) && thing[0] === 'operations-tag';
                return isGroup && typeof filter === 'string' && filter !== '' ? true : original(thing, ...rest);
              },
          },
        },
        auth: {
          wrapActions: {
            // `persistAuthorization` would store the client secret in the browser in addition to the token.
            authorizeOauth2WithPersistOption:
              (authorize: (granted: { auth: Json }) => unknown) => (granted: { auth: Json }) => {
                const result = authorize({ ...granted, auth: { ...granted.auth, clientSecret: '' } });
                void load(system.getSystem());
                return result;
              },
            authorizeWithPersistOption: (authorize: (granted: unknown) => unknown) => (granted: unknown) => {
              const result = authorize(granted);
              void load(system.getSystem());
              return result;
            },
            logoutWithPersistOption: (logout: (names: unknown) => unknown) => (names: unknown) => {
              const result = logout(names);
              void load(system.getSystem());
              return result;
            },
            persistAuthorizationIfNeeded: () => () => {
              const stored = system.getSystem().authSelectors.authorized().toJS();
              delete stored['basic'];
              browser.localStorage.setItem('authorized', JSON.stringify(stored));
            },
          },
        },
      },
    };
  };

  /**
   * A wrong client secret is answered with the challenge of RFC 6749, section 5.2, for which the browser would open a login
   * prompt. It does not if the request omits the browser's own credentials.
   */
  const requestInterceptor = (request: Exchange): Exchange => {
    const { Authorization: authorization } = request.headers ?? {};
    if (authorization?.startsWith('Basic ')) request.credentials = 'omit';
    if (authorization?.startsWith('Bearer ')) delete request.headers!['X-API-Key'];
    return request;
  };

  const applyTheme = () => {
    const dark = browser.matchMedia('(prefers-color-scheme: dark)');
    const set = () => browser.document.documentElement.classList.toggle('dark-mode', dark.matches);
    dark.addEventListener('change', set);
    set();
  };

  const start = async (): Promise<void> => {
    applyTheme();
    const resolve = (path: string) => new URL(path, browser.document.baseURI).href;
    const [spec, demo] = await Promise.all([
      browser.fetch(resolve('docs/openapi.json')).then((response) => response.json()),
      browser.fetch(resolve('docs/demo')),
    ]);
    if (demo.status === 200) learn({ demo: (await demo.json()) as Known['demo'] });
    const system = browser.SwaggerUIBundle({
      spec,
      dom_id: '#swagger-ui',
      layout: 'BaseLayout',
      presets: [browser.SwaggerUIBundle.presets.apis],
      plugins: [plugin],
      deepLinking: true,
      docExpansion: 'none',
      defaultModelsExpandDepth: 0,
      filter: true,
      persistAuthorization: true,
      displayRequestDuration: true,
      displayOperationId: false,
      tryItOutEnabled: true,
      requestSnippetsEnabled: true,
      requestInterceptor,
      responseInterceptor: (response: Exchange) => {
        learnFrom(response);
        return response;
      },
    });
    browser.ui = system;
    void load(system);
  };
  void start();
}
