import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openContext, openSession } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import { UsageError } from '../exit-codes.js';

/** Sends any request, with the credentials of the profile. `{workspaceId}` in the path is replaced. */
export async function api(
  verb: string,
  path: string,
  flags: GlobalFlags & { field?: string[]; paginate?: boolean },
): Promise<void> {
  const open = path.includes('{workspaceId}') ? openContext : openSession;
  const { client, settings, signal } = await open(flags);
  const fields = Object.fromEntries((flags.field ?? []).map(parseField));
  const full = path.replace('{workspaceId}', settings.workspace ?? '').replace(/^\/?/, '/');
  const isRead = verb === 'GET' || verb === 'DELETE';
  const query = new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  const url = isRead && query !== '' ? `${full}${full.includes('?') ? '&' : '?'}${query}` : full;
  if (flags.paginate) {
    for await (const entry of client.pages(url, { signal })) process.stdout.write(`${JSON.stringify(entry)}\n`);
    return;
  }
  const body = isRead ? {} : { body: JSON.stringify(fields) };
  const headers = { accept: '*/*', ...(isRead ? {} : { 'content-type': 'application/json' }) };
  const response = await client.request(verb, url, { ...body, headers, signal, stream: true });
  if (/\bjson$/.test(response.headers.get('content-type')?.split(';')[0] ?? ''))
    process.stdout.write(`${JSON.stringify(await response.json(), null, 2)}\n`);
  else if (response.body) await pipeline(Readable.fromWeb(response.body), process.stdout, { end: false });
}

/** `limit=10` is a number, `title="10"` a text. */
function parseField(text: string): [string, unknown] {
  const separator = text.indexOf('=');
  if (separator < 1) throw new UsageError(`"${text}" is not a field. Write --field name=value.`);
  const value = text.slice(separator + 1);
  try {
    return [text.slice(0, separator), JSON.parse(value)];
  } catch {
    return [text.slice(0, separator), value];
  }
}
