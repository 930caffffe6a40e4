// The parts of Swagger UI that the page uses. It has no types of its own.

import type { Json } from './page-document.js';

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

declare global {
  var SwaggerUIBundle: ((options: object) => System) & { presets: { apis: unknown } };
}
