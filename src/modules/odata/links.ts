import { InvalidCursorError } from '../../platform/http/cursor.js';

/** Where a page starts, and the revision from which the changes are read after the last page. */
export interface SkipToken {
  cursor: string;
  /** Undefined if the caller does not track changes. */
  since: number | undefined;
}

export function formatSkipToken({ cursor, since }: SkipToken): string {
  return `${since ?? ''}.${cursor}`;
}

/** @throws {InvalidCursorError} */
export function parseSkipToken(token: string): SkipToken {
  const [, since, cursor = ''] = /^(\d{0,15})\.([\w-]+)$/.exec(token) ?? [];
  if (since === undefined) throw new InvalidCursorError();
  return { cursor, since: since === '' ? undefined : Number(since) };
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
 */
export function withOptions(url: string, changes: Record<string, string | undefined>): string {
  const [path = '', query = ''] = url.split('?', 2);
  const options = new Map(query === '' ? [] : query.split('&').map((each) => [decodeName(each), each]));
  for (const [name, value] of Object.entries(changes)) {
    options.delete(name);
    if (value !== undefined) options.set(name, `${name}=${encodeURIComponent(value)}`);
  }
  return options.size === 0 ? path : `${path}?${[...options.values()].join('&')}`;
}

function decodeName(option: string): string {
  return decodeURIComponent(option.split('=', 1)[0]!);
}
