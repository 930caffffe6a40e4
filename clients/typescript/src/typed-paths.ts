import type { ClientPathsWithMethod, Client, MaybeOptionalInit } from 'openapi-fetch';
import type { paths } from './openapi-types.js';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Paths of the API that have this method. */
export type PathOf<M extends Method> = ClientPathsWithMethod<Client<paths>, M> & keyof paths;
/** Parameters and body of an operation. */
export type InitOf<M extends Method, P extends keyof paths> = MaybeOptionalInit<paths[P], M>;

type Content<Reply> = Reply extends { content: { 'application/json': infer Body } } ? Body : undefined;
type Success<Responses> = {
  [Status in keyof Responses]: Status extends 200 | 201 | 207 ? Content<Responses[Status]> : never;
}[keyof Responses];
type Responses<M extends Method, P extends keyof paths> = paths[P][M] extends { responses: infer R } ? R : never;
/** The `data` of the envelope; documents without an envelope are returned as they are. */
export type DataOf<M extends Method, P extends keyof paths> =
  Success<Responses<M, P>> extends infer Body ? (Body extends { data: infer Data } ? Data : Body) : never;
/** Entries of a list: `items` of a page. */
export type EntryOf<P extends keyof paths> = DataOf<'get', P> extends { items: (infer Entry)[] } ? Entry : never;
