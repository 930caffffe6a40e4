// The parts of the browser and of Swagger UI that the page uses: the project compiles without the types of a browser.

export type Json = Record<string, unknown>;
export interface ImmutableMap {
  get(key: string, fallback?: unknown): unknown;
  getIn(path: readonly string[], fallback?: unknown): unknown;
  toJS(): Json;
}
export interface Operations {
  filter(keep: (operation: ImmutableMap) => boolean): { size: number };
}
export interface Group extends ImmutableMap {
  set(key: string, value: unknown): Group;
}
export type Component = (props: Json) => unknown;
/** A component of Swagger UI that reads its properties from the state. */
export type StateComponent = Component & { prototype: { mapStateToProps: unknown } };
export interface React {
  createElement: (component: unknown, props: object | null, ...children: unknown[]) => unknown;
  useState<T>(value: T): [T, (next: T) => void];
  useEffect(effect: () => unknown, dependencies?: readonly unknown[]): void;
  useRef<T>(value: T): { current: T };
}
export interface System {
  React: React;
  Im: { fromJS(value: unknown): unknown; OrderedMap(object: object): unknown };
  fn: { getSampleSchema: (...values: unknown[]) => unknown };
  authActions: Record<
    'authorize' | 'authorizeApplication' | 'logout' | 'logoutWithPersistOption' | 'showDefinitions',
    (value: unknown) => void
  >;
  authSelectors: { authorized(): ImmutableMap; definitionsToAuthorize(): unknown };
  oas3Actions: { setRequestBodyValue(change: { value: string; pathMethod: readonly string[] }): void };
  oas3Selectors: { selectedServer(): string; requestBodyValue(path: string, method: string): unknown };
  specActions: {
    updateJsonSpec(spec: unknown): void;
    updateResolvedSubtree(path: readonly string[], value: unknown): void;
  };
  layoutActions: { show(key: readonly string[], isShown: boolean): void };
  layoutSelectors: { currentFilter(): unknown };
  specSelectors: {
    taggedOperations(): { size: number };
    parameterValues(pathMethod: readonly string[]): ImmutableMap;
    parameterWithMetaByIdentity(path: unknown, parameter: unknown): ImmutableMap | undefined;
  };
  getComponent(name: string, withSystem: boolean): Component;
  getSystem(): System;
}
export interface PageElement {
  labels?: { length: number };
  closest(selector: string): PageElement | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  focus(): void;
}
export interface Browser {
  location: { href: string };
  document: {
    baseURI: string;
    querySelector(selector: string): PageElement | null;
    querySelectorAll(selector: string): Iterable<PageElement>;
    documentElement: { classList: { toggle(name: string, on: boolean): void } };
  };
  localStorage: { setItem(key: string, value: string): void };
  matchMedia(query: string): { matches: boolean; addEventListener(type: 'change', listener: () => void): void };
  fetch: typeof fetch;
  setTimeout(callback: () => void, milliseconds: number): unknown;
  clearTimeout(timer: unknown): void;
  atob(text: string): string;
  btoa(text: string): string;
  ui: unknown;
  MutationObserver: new (notify: () => void) => { observe(element: unknown, options: object): void };
  IntersectionObserver: new (
    notify: (entries: readonly { isIntersecting: boolean }[]) => void,
    options: { rootMargin: string },
  ) => { observe(element: unknown): void; disconnect(): void };
  SwaggerUIBundle: ((options: object) => System) & { presets: { apis: unknown } };
}
export interface Exchange {
  url: string;
  ok?: boolean;
  status?: number;
  method?: string;
  authorization?: string;
  text?: string;
  credentials?: string;
  headers?: Record<string, string>;
}
/** What an operation accepts as credentials, as in the document. */
export type Security = readonly Record<string, readonly string[]>[];
/** The parts of the document that the page reads itself. */
export interface PageDocument extends Json {
  openapi: string;
  paths: Record<string, Record<string, PageOperation>>;
  components: { schemas: object; securitySchemes: object };
}
interface PageOperation extends Json {
  parameters?: PageParameter[];
  requestBody?: { required?: boolean };
}
interface PageParameter {
  name: string;
  schema?: { 'x-choices'?: IdChoices };
}
/** A POST of an example. */
export interface PageRequest {
  path: string;
  body: unknown;
  security: Security;
}
/** How the page finds the IDs that a parameter accepts. */
export interface IdChoices {
  /** The path of the operation. */
  path: string;
  method: string;
  /** One record: `virtual staging`. */
  kind: string;
  /** The path before the ID, with its parameters. */
  collection: string;
  /** The path of the list, which may contain the records in a field of its items. */
  list: string;
  field?: string;
  query: readonly string[];
  security: Security;
  /** Only records whose field has one of the values. */
  accepted?: { field: string; values: readonly string[] };
  /** The operation ends what it acts on. */
  ends: boolean;
  /** The operation changes what it acts on: the page suggests only what was created on it. */
  needsOwn: boolean;
  restores: boolean;
  /** Creates what the operation changes. */
  preparation: readonly PageRequest[];
}
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
}
