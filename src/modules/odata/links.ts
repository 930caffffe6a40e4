import { hash } from 'node:crypto';
import type { Request } from 'express';
import { InvalidCursorError } from '../../../packages/sql/src/keyset.js';
import type { EntityKey, EntitySet } from './edm.js';
import { InvalidODataQueryError } from './odata.errors.js';
import type { QueryOptions } from './query-options.js';
import type { EntityPage } from './rows.service.js';
import { isDecodable, splitUrl } from '../../platform/http/query-parser.js';

/** Where a page starts, and the delta token with which the changes are read after the last page. */
export interface SkipToken {
  cursor: string;
  /** Undefined if the caller does not track changes. */
  since: string | undefined;
}

/** From where changes are read, and under which access policies. */
export interface DeltaToken {
  revision: number;
  /** A digest; empty if no policy restricts the caller. */
  policies: string;
}

const DIGEST_LENGTH = 16;

/** @param policyVersion of the table, as the caller reads it. */
export function formatDeltaToken(revision: number, policyVersion: string | undefined): string {
  return policyVersion === undefined ? String(revision) : `${revision}-${digestPolicies(policyVersion)}`;
}

/** Undefined if the feed has not returned the token. */
export function parseDeltaToken(token: string): DeltaToken | undefined {
  const [, revision, policies = ''] = /^(\d{1,15})(?:-([\w-]{16}))?$/.exec(token) ?? [];
  return revision === undefined ? undefined : { revision: Number(revision), policies };
}

/** Identifies the access policies in a token, which shows nothing of them. Empty without any. */
export function digestPolicies(policyVersion: string | undefined): string {
  return policyVersion === undefined ? '' : hash('sha256', policyVersion, 'base64url').slice(0, DIGEST_LENGTH);
}

export function formatSkipToken({ cursor, since }: SkipToken): string {
  return `${since ?? ''}.${cursor}`;
}

/** @throws {InvalidCursorError} */
export function parseSkipToken(token: string): SkipToken {
  const [, since = '', cursor] = /^([^.]*)\.([\w-]+)$/.exec(token) ?? [];
  if (cursor === undefined || (since !== '' && !parseDeltaToken(since))) throw new InvalidCursorError();
  return { cursor, since: since === '' ? undefined : since };
}

/** Changes of a part of the entities are not stored. */
export function canTrack({ set }: Pick<EntityPage, 'set'>, { filter, top, skip, expand }: QueryOptions): boolean {
  const isWhole = [filter, top, skip, expand].every((option) => option === undefined);
  return isWhole && set.table.hasChanges;
}

/**
 * The revision as of which all pages are read, if a policy limits the rows and changes are tracked: the changes are
 * those between two moments, so an entity that has entered the permitted part only between two pages is not removed.
 */
export function findTrackedRevision(
  set: EntitySet,
  options: QueryOptions,
  start: SkipToken | undefined,
  trackChanges: boolean,
): number | undefined {
  if (!set.table.isLimited) return undefined;
  if (start) return start.since === undefined ? undefined : parseDeltaToken(start.since)!.revision;
  return trackChanges && canTrack({ set }, options) ? set.table.revision : undefined;
}

/** The root of the feed of a workspace, without a slash at its end. */
export function getFeedUrl(publicUrl: string, workspaceId: string): string {
  return `${publicUrl}/odata/v4/${workspaceId}`;
}

/**
 * The URL of the request with other options. The names of options remain readable, because some clients look for
 * `$skiptoken` in links.
 *
 * @param changes options by name; undefined removes one
 * @throws {InvalidODataQueryError} if the URL is too long for a link
 */
export function withOptions(url: string, changes: Record<string, string | undefined>): string {
  const [path, query] = splitUrl(url);
  const options = new Map(query === '' ? [] : query.split('&').map((each) => [decodeName(each), each]));
  for (const [name, value] of Object.entries(changes)) {
    options.delete(name);
    if (value !== undefined) options.set(name, `${name}=${encodeURIComponent(value)}`);
  }
  const link = options.size === 0 ? path : `${path}?${[...options.values()].join('&')}`;
  requireShortLink(link);
  return link;
}

const QUERY = '/$query';

/** Characters that a URL does not have in its query, such as blanks, letters beyond ASCII, and `#`, which ends it. */
const OUTSIDE_QUERY = /[^\w\-.~!$&()*+,;=:@/?%]/gu;

/**
 * Makes a request with query options in its body one with these options in its URL, which has no limit here. The body
 * may be percent-encoded only in part.
 *
 * @throws {InvalidODataQueryError}
 */
export function moveOptionsToUrl(request: Request): void {
  const [path, query] = splitUrl(request.url);
  const sent = ((request.body as string | undefined) ?? '').trim();
  if (!isDecodable(sent))
    throw new InvalidODataQueryError(
      QUERY.slice(1),
      'the body is not percent-encoded UTF-8, as the query of a URL is.',
    );
  const encoded = sent.replaceAll(OUTSIDE_QUERY, (each) => (each === "'" ? '%27' : encodeURIComponent(each)));
  const options = [query, encoded].filter((each) => each !== '').join('&');
  request.url = `${path.slice(0, -QUERY.length)}${options === '' ? '' : '?'}${options}`;
}

/** Bytes of a link that servers between the client and the feed forward. */
export const MAX_LINK_BYTES = 8_000;

/**
 * The link to the next page, or that to later changes, as members of JSON.
 *
 * @param options of the request, and the delta token with which the changes are read after the last page
 * @throws {InvalidODataQueryError} if the options are too long for a link
 */
export function describeLinks(
  publicUrl: string,
  { url: sent }: Request,
  page: Pick<EntityPage, 'cursor' | 'length'>,
  { top, since }: Pick<QueryOptions, 'top'> & { since: string | undefined },
): string[] {
  const url = publicUrl + sent;
  const rest = top === undefined ? undefined : top - page.length;
  if (page.cursor !== null && rest !== 0) {
    const changes = {
      $skip: undefined,
      $count: undefined,
      $top: rest === undefined ? undefined : String(rest),
      $skiptoken: formatSkipToken({ cursor: page.cursor, since }),
    };
    return [`"@odata.nextLink":${JSON.stringify(withOptions(url, changes))}`];
  }
  if (since === undefined) return [];
  const changes = { $skiptoken: undefined, $orderby: undefined, $count: undefined, $deltatoken: since };
  return [`"@odata.deltaLink":${JSON.stringify(withOptions(url, changes))}`];
}

function requireShortLink(link: string): void {
  const bytes = Buffer.byteLength(link);
  if (bytes <= MAX_LINK_BYTES) return;
  const message = `the link to the next page or to changes would have ${bytes} bytes; at most ${MAX_LINK_BYTES} are allowed. Send $top for one page, or a shorter $filter.`;
  throw new InvalidODataQueryError('query', message);
}

function decodeName(option: string): string {
  return decodeURIComponent(option.split('=', 1)[0]!);
}

/**
 * The entity set of a path segment such as `assets_Pumps('4711')` or `assets_Pumps(key='4711')`, and the key.
 *
 * @throws {InvalidODataQueryError}
 */
export function parseSegment(segment: string): { name: string; key: EntityKey | undefined } {
  const open = segment.indexOf('(');
  if (open < 0) return { name: segment, key: undefined };
  const [, property, key] = /^\((?:([\p{L}_][\p{L}\p{N}_]*)=)?'((?:[^']|'')*)'\)$/su.exec(segment.slice(open)) ?? [];
  if (key !== undefined) return { name: segment.slice(0, open), key: { property, value: key.replaceAll("''", "'") } };
  const message = `"${segment.slice(0, 100)}" has no key in quotes. Write ${segment.slice(0, open).slice(0, 80)}('key').`;
  throw new InvalidODataQueryError('path', message);
}
