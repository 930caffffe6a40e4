import { hasReturned, listIssuers } from '../sign-in/issuers.js';
import { createAssistantBox } from './assistant-box.js';
import { createIdField } from './id-field.js';
import { createKnowledge, type Known } from './knowledge.js';
import { createOperationRow } from './operation-row.js';
import type { Json, PageDocument } from './page-document.js';
import { resolveSubtree } from './resolve-subtree.js';
import { createSignIn } from './sign-in.js';
import type { Component, Exchange, Group, ImmutableMap, Operations, StateComponent, System } from './swagger-ui.js';

const knowledge = createKnowledge();
const { get, learn, learnFrom, fill, findParameter, findOptional, readEndings } = knowledge;
const signIn = createSignIn(knowledge);
const toAbsolute = (url: string) => new URL(url, location.href).href;
/** The last request to each URL: responses contain neither its method nor its credentials. */
const requests = new Map<string, Pick<Exchange, 'method' | 'authorization'>>();

/**
 * What the list of operations and schemas shows. Swagger UI converts each object of the document, which took half of
 * the time until the list was visible; an expanded operation is read from the document itself.
 */
const toListed = ({ paths, components, ...rest }: PageDocument, Im: System['Im']) => ({
  ...rest,
  paths: mapValues(paths, (methods) =>
    mapValues(methods, ({ parameters: _, responses: __, requestBody, ...listed }) =>
      // Swagger UI requires a body before it sends a request.
      requestBody ? { ...listed, requestBody: { required: requestBody.required } } : listed,
    ),
  ),
  components: { securitySchemes: components.securitySchemes, schemas: Im.OrderedMap(components.schemas) },
});

const mapValues = <From, To>(object: Record<string, From>, map: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));

const createPlugin = (spec: PageDocument) => (system: System) => {
  const { React } = system;
  const h = React.createElement;

  const AssistantBox = createAssistantBox(system);
  const { Panel, wrapOAuth2, wrapActions, useKnown } = signIn.createParts(system);

  const readBody = (content: unknown): Json | undefined => {
    try {
      return JSON.parse(content as string) as Json;
    } catch {
      return undefined;
    }
  };

  /** A link to the error in the catalogue. @param code undefined: the response is not an error */
  const linkError = (code: unknown) =>
    typeof code === 'string'
      ? h('a', { className: 'error-link', href: `guide/errors#${code}` }, `What ${code} means`)
      : null;

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
      /** Finds operations whose path, ID, group, summary and description together contain every word. */
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
                operation.getIn(['operation', 'description']),
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
          document
            .querySelector('.operation-filter-input')
            ?.setAttribute('placeholder', 'Filter by words, such as photo or create asset table');
        });
        return h(Original, props);
      },
      operations: (Original: Component) => (props: Json) => {
        const { specSelectors, layoutSelectors } = props as unknown as System;
        const filter = layoutSelectors.currentFilter();
        const hasMatches = typeof filter !== 'string' || specSelectors.taggedOperations().size > 0;
        if (hasMatches) return h(Original, props);
        const text = `No operation contains all words of "${filter}". Enter fewer or other words.`;
        return h('p', { className: 'no-matches', role: 'status' }, text);
      },
      // A link within the button that expands an operation; the address contains the operation once it is expanded.
      DeepLink: (Original: Component) => (props: Json) =>
        String(props['path']).includes('/') ? h('span', null, props['text']) : h(Original, props),
      OperationContainer: (Original: StateComponent) => createOperationRow(system, Original),
      InfoContainer: (Original: Component) => (props: Json) =>
        h('div', null, h(Original, props), h(Panel, null), h(AssistantBox, null)),
      oauth2: wrapOAuth2,
      /** Shows the example of an error on demand: most operations have ten errors, which would hide the others. */
      response: (Original: Component) => (props: Json) => {
        const [isOpen, setOpen] = React.useState(false);
        const code = String(props['code']);
        if (isOpen || code < '400') return h(Original, props);
        const Markdown = system.getSystem().getComponent('Markdown', true);
        const response = props['response'] as ImmutableMap;
        const source = response.get('description');
        const [media] = (response.get('content') as Iterable<[string, ImmutableMap]> | undefined) ?? [];
        return h(
          'tr',
          { className: 'response error-response', 'data-code': code },
          h('td', { className: 'response-col_status' }, code),
          h(
            'td',
            { className: 'response-col_description' },
            h(Markdown, { source }),
            h('button', { type: 'button', onClick: () => setOpen(true) }, 'Example'),
            linkError(media?.[1].getIn(['example', 'error'])),
          ),
        );
      },
      responseBody: (Original: Component) => (props: Json) =>
        h('div', null, h(Original, props), linkError(readBody(props['content'])?.['error'])),
      /** Several files are one field. Swagger UI would show a field for each file after a press of a button. */
      JsonSchema_array: (Original: Component) => (props: Json) => {
        const isFiles = (props['schema'] as ImmutableMap).getIn(['items', 'format']) === 'binary';
        if (!isFiles) return h(Original, props);
        const change = ({ target }: { target: { files: Iterable<unknown> } }) =>
          (props['onChange'] as (files: unknown) => void)(system.Im.fromJS([...target.files]));
        return h('input', { type: 'file', multiple: true, 'aria-label': props['description'], onChange: change });
      },
      JsonSchemaForm: (Original: Component) => createIdField(knowledge, system, Original),
      // An empty field is not sent. Otherwise every optional field of a form would be sent empty.
      ParameterIncludeEmpty: () => () => null,
      parameterRow: (Original: Component) => (props: Json) => {
        const now = useKnown();
        const parameter = props['param'] as ImmutableMap;
        const [path, method] = props['pathMethod'] as [string, string];
        const prefilled = spec.paths[path]![method]!['x-prefilled'];
        const [filled, setFilled] = React.useState<unknown>(undefined);
        React.useEffect(() => {
          const example = parameter.getIn(['schema', 'example']) ?? parameter.get('example');
          const name = String(parameter.get('name'));
          const value = parameter.get('required')
            ? findParameter(path, name, example)
            : (findOptional(name) ?? prefilled?.[name]);
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
          /** Swagger UI would parse the text of the document as YAML. */
          parseToJson: () => () => system.getSystem().specActions.updateJsonSpec(toListed(spec, system.Im)),
          /**
           * Resolves the references of an expanded operation, and only those. Swagger UI would parse the whole
           * document, and resolve and merge all operations again that were expanded before.
           */
          requestResolvedSubtree: () => (path: readonly string[]) => {
            const { specActions } = system.getSystem();
            const resolved = resolveSubtree(spec, path);
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
      auth: { wrapActions },
    },
  };
};

/**
 * A wrong client secret is answered with the challenge of RFC 6749, section 5.2, for which the browser would open a
 * login prompt. It does not if the request omits the browser's own credentials.
 */
const requestInterceptor = (request: Exchange): Exchange => {
  const { Authorization: authorization } = request.headers ?? {};
  if (authorization?.startsWith('Basic ')) request.credentials = 'omit';
  if (authorization?.startsWith('Bearer ')) delete request.headers!['X-API-Key'];
  // The operation ends a session of its own, if there is one, so that the page stays signed in.
  const { token } = get().ids;
  if (token && request.url.endsWith('/v1/api/oauth2/logout')) request.headers!['Authorization'] = `Bearer ${token}`;
  const { method = 'GET', headers = {} } = request;
  requests.set(toAbsolute(request.url), { method, authorization: headers['Authorization'] });
  return request;
};

const applyTheme = () => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const set = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', set);
  set();
};

/** Names the fields of operations, and lets the keyboard reach texts that scroll, which Swagger UI does not. */
const nameFields = (): void => {
  const set = (selector: string, attribute: string, value: (field: HTMLElement) => string) => {
    const found = document.querySelectorAll<HTMLElement>(`#swagger-ui ${selector}:not([${attribute}])`);
    for (const each of found) if (!(each as HTMLInputElement).labels?.length) each.setAttribute(attribute, value(each));
  };
  set('pre', 'tabindex', () => '0');
  set('.operation-filter-input', 'aria-label', () => 'Filter operations');
  set('.opblock :is(input, select, textarea)', 'aria-label', (field) => {
    const row = field.closest('[data-param-name], [data-property-name]');
    return row?.getAttribute('data-param-name') ?? row?.getAttribute('data-property-name') ?? 'Request body';
  });
  document.querySelector('#servers')?.setAttribute('aria-label', 'Server');
};

const positionOf = (operation: ImmutableMap) => operation.getIn(['operation', 'x-position'], 0) as number;

const start = async (): Promise<void> => {
  applyTheme();
  const resolve = (path: string) => new URL(path, document.baseURI).href;
  // The operations do not wait for them.
  void listIssuers().then(
    (issuers) => learn({ issuers }),
    () => undefined,
  );
  const [spec, demo] = await Promise.all([
    fetch(resolve('docs/openapi.json')).then((response) => response.json() as Promise<PageDocument>),
    fetch(resolve('docs/demo')),
  ]);
  readEndings(spec);
  if (demo.status === 200) learn({ demo: (await demo.json()) as Known['demo'] });
  const system = SwaggerUIBundle({
    // Only so that there is one: `parseToJson` takes the document itself.
    spec: { openapi: spec.openapi },
    dom_id: '#swagger-ui',
    layout: 'BaseLayout',
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [createPlugin(spec)],
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    filter: true,
    operationsSorter: (one: ImmutableMap, other: ImmutableMap) => positionOf(one) - positionOf(other),
    persistAuthorization: true,
    displayRequestDuration: true,
    displayOperationId: false,
    tryItOutEnabled: true,
    requestSnippetsEnabled: true,
    requestInterceptor,
    responseInterceptor: (response: Exchange) => {
      const exchange = { ...response, ...requests.get(toAbsolute(response.url)) };
      learnFrom(exchange);
      signIn.checkResponse(system, exchange);
      return response;
    },
  });
  // For the console of the browser, as on other pages of Swagger UI.
  Object.assign(window, { ui: system });
  const page = document.querySelector('#swagger-ui')!;
  new MutationObserver(nameFields).observe(page, { childList: true, subtree: true });
  signIn.start(system);
  if (hasReturned()) await signIn.complete(system);
};
void start();
