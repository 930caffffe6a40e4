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
export interface React {
  createElement: (component: unknown, props: object | null, ...children: unknown[]) => unknown;
  useState<T>(value: T): [T, (next: T) => void];
  useEffect(effect: () => unknown, dependencies?: readonly unknown[]): void;
}
export interface System {
  React: React;
  Im: { fromJS(value: unknown): unknown };
  fn: { getSampleSchema: (...values: unknown[]) => unknown };
  authActions: Record<'authorize' | 'authorizeApplication' | 'showDefinitions', (value: unknown) => void>;
  authSelectors: { authorized(): ImmutableMap };
  oas3Selectors: { selectedServer(): string };
  specActions: { updateResolvedSubtree(path: readonly string[], value: unknown): void };
  specSelectors: {
    parameterWithMetaByIdentity(path: unknown, parameter: unknown): ImmutableMap | undefined;
    specJS(): Json;
  };
  getComponent(name: string, withSystem: boolean): Component;
  getSystem(): System;
}
export interface Browser {
  location: { href: string };
  document: {
    baseURI: string;
    querySelector(selector: string): { setAttribute(name: string, value: string): void; focus(): void } | null;
    documentElement: { classList: { toggle(name: string, on: boolean): void } };
  };
  localStorage: { setItem(key: string, value: string): void };
  matchMedia(query: string): { matches: boolean; addEventListener(type: 'change', listener: () => void): void };
  fetch: typeof fetch;
  ui: unknown;
  SwaggerUIBundle: ((options: object) => System) & { presets: { apis: unknown } };
}
export interface Exchange {
  url: string;
  ok?: boolean;
  method?: string;
  text?: string;
  credentials?: string;
  headers?: Record<string, string>;
}
/** What the page knows about the caller; examples and fields are filled in from it. */
export interface Known {
  state: 'out' | 'loading' | 'in' | 'failed';
  workspaces: { id: string; name: string }[];
  workspaceId?: string;
  project?: { id: string; name: string };
  /** Values of fields of bodies by name. */
  ids: Record<string, string>;
  /** Names of tables by entity. */
  tables: Record<string, string[]>;
  /** Parameters of signed URLs by the path of the operation. */
  signed: Record<string, Record<string, string>>;
  demo?: { clientId: string; clientSecret: string; apiKey: string };
}
