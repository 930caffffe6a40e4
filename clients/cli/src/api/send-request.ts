import { STATUS_CODES } from 'node:http';
import type { AtriumClient } from '@atrium/client';
import { parse, stringify } from 'lossless-json';
import { openContext, openSession } from '../context.js';
import { type ExitCode, exitCodeOf, UsageError } from '../exit-codes.js';
import { type Io, writeBody } from '../io.js';
import { writeText } from '../output.js';
import type { LocalContext } from '../runner.js';
import type { JsonFilter } from './json-filter.js';
import { readBody } from './request-body.js';
import { parseRawField, parseTypedField, toJsonBody, toQuery } from './request-fields.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

type RequestFlags = Partial<
  Record<'method' | 'input' | 'jq', string> &
    Record<'rawField' | 'field' | 'header', string[]> &
    Record<'include' | 'paginate', boolean>
>;

type Send = (path: string) => Promise<Response>;

/**
 * Sends any request, with the credentials of the profile. `{workspaceId}` in the path is replaced.
 *
 * @param first the method, or the path if there is no second argument.
 * @param second the path.
 */
export async function sendRequest(
  { flags: globalFlags, io }: LocalContext,
  first: string,
  second: string | undefined,
  flags: RequestFlags,
): Promise<ExitCode> {
  const { include, paginate } = flags;
  const { method, path } = findTarget(first, second, flags);
  if (paginate && method !== 'GET') throw new UsageError('--paginate needs the method GET.');
  // A filter that is not valid is rejected before a request changes something.
  const filter = flags.jq === undefined ? undefined : await compileFilter(flags.jq, io);
  const headers = parseHeaders(flags.header ?? []);
  const { query, body } = await createContent(method, flags, io);
  // Only a path with a workspace needs one.
  const open = path.includes('{workspaceId}') ? openContext : openSession;
  const { client, settings, signal } = await open(globalFlags, io);
  const address = toAddress(path, settings.workspace ?? '', query);
  requireService(address, client.baseUrl);
  if (body !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const isFile = body instanceof ReadableStream;
  const send: Send = async (target) =>
    await client
      .request(method, target, { body, headers, signal, isFile, stream: true })
      .catch(async (error: unknown) => {
        await printRejection(error, flags, io);
        throw error;
      });
  if (paginate) {
    await printPages(client, address, send, { include, filter, io });
    return exitCodeOf();
  }
  const response = await send(address);
  await printResponse(response, { include, filter, io });
  // Only changes that wait for approval are accepted without being stored.
  return exitCodeOf({ isWaiting: response.status === 202 });
}

const compileFilter = async (filter: string, io: Io): Promise<JsonFilter> =>
  (await import('./json-filter.js')).compileFilter(filter, io);

/** Parses `METHOD PATH` or `PATH`. Without a method, the method is POST if there is something to send, and else GET. */
function findTarget(
  first: string,
  second: string | undefined,
  { method, field, rawField, input }: RequestFlags,
): { method: string; path: string } {
  if (second !== undefined) {
    if (method !== undefined) throw new UsageError('Set the method once, before the path or with --method.');
    return { method: parseMethod(first), path: second };
  }
  if (METHODS.includes(first.toUpperCase()))
    throw new UsageError(`Write the path after ${first}, for example /v1/api/tours.`);
  const isSending = (field ?? rawField ?? input) !== undefined;
  return { method: parseMethod(method ?? (isSending ? 'POST' : 'GET')), path: first };
}

/** The credentials are for one service. @throws {UsageError} */
function requireService(path: string, baseUrl: string): void {
  const isService = path.startsWith('/') || (URL.canParse(path) && new URL(path).origin === new URL(baseUrl).origin);
  if (!isService) throw new UsageError(`"${path}" must begin with "/", or be a URL of ${baseUrl}.`);
}

function parseMethod(text: string): string {
  const method = text.toUpperCase();
  if (METHODS.includes(method)) return method;
  throw new UsageError(`"${text}" is not a method. Allowed choices are ${METHODS.join(', ')}.`);
}

function parseHeaders(arguments_: string[]): Headers {
  const headers = new Headers({ accept: '*/*' });
  for (const argument of arguments_) {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*)$/.exec(argument) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`"${argument}" is not a header. Write for example -H 'Accept: text/csv'.`);
    if (['authorization', 'x-api-key'].includes(name.toLowerCase()))
      throw new UsageError(
        `The credentials are those of the profile. Choose it with --profile, or set ATRIUM_API_KEY.`,
      );
    headers.set(name, value);
  }
  return headers;
}

/** Fields are the body, or the query if the request has another body or none. */
async function createContent(method: string, { rawField = [], field = [], input }: RequestFlags, io: Io) {
  const fields = [
    ...rawField.map(parseRawField),
    ...(await Promise.all(field.map((each) => parseTypedField(each, io)))),
  ];
  const hasOwnBody = input !== undefined;
  if (hasOwnBody && method === 'GET')
    throw new UsageError('A GET request has no body. Add --method, or remove --input.');
  if (hasOwnBody) return { query: toQuery(fields), body: await readBody(input, io) };
  if (method === 'GET' || method === 'DELETE') return { query: toQuery(fields), body: undefined };
  return { query: '', body: toJsonBody(fields) };
}

function toAddress(path: string, workspace: string, query: string): string {
  const full = path.replaceAll('{workspaceId}', workspace);
  const absolute = /^(?:https?:|\/)/.test(full) ? full : `/${full}`;
  return query === '' ? absolute : `${absolute}${absolute.includes('?') ? '&' : '?'}${query}`;
}

interface PrintOptions {
  include?: boolean | undefined;
  filter: JsonFilter | undefined;
  io: Io;
}

async function printResponse(response: Response, { include, filter, io }: PrintOptions): Promise<void> {
  if (include) printHead(response, io);
  const type = getMediaType(response);
  if (filter && response.status !== 204) printFiltered(filter, io, await readJson(response, type));
  else if (/\bjson$/.test(type)) printJson(await response.text(), io);
  else if (response.body) await writeBody(response.body, io.stdout);
}

const getMediaType = ({ headers }: Pick<Response, 'headers'>): string =>
  headers.get('content-type')?.split(';')[0]?.trim() ?? '';

/** @throws {UsageError} if the response is not JSON */
function readJson(response: Response, type: string): Promise<string> {
  if (/json$/.test(type)) return response.text();
  throw new UsageError(`--jq needs JSON, but the response is ${type || 'empty'}.`);
}

/** A line of JSON per entry of all pages, or the results of the filter for each entry. */
async function printPages(client: AtriumClient, address: string, send: Send, options: PrintOptions): Promise<void> {
  const { include, filter, io } = options;
  io.endWithStdout();
  const url = new URL(address.startsWith('/') ? client.baseUrl + address : address);
  for (let cursor: string | null | undefined; cursor !== null;) {
    if (cursor !== undefined) url.searchParams.set('cursor', cursor);
    const response = await send(url.href);
    if (include) printHead(response, io);
    const text = await readJson(response, getMediaType(response));
    const { data } = parse(text) as { data?: { items?: unknown; nextCursor?: string | null } };
    if (!Array.isArray(data?.items))
      throw new UsageError(`The response of ${address} is not a list with pages. Remove --paginate.`);
    const lines = data.items.map((entry: unknown) => `${stringify(entry)!}\n`).join('');
    if (filter) printFiltered(filter, io, lines);
    else io.stdout.write(lines);
    cursor = data.nextCursor ?? null;
  }
}

function printFiltered(filter: JsonFilter, io: Io, json: string): void {
  const text = filter(json);
  // A filter can print texts without quotes. Their control characters must not reach a terminal.
  if (io.stdout.isTTY) writeText(io.stdout, text);
  else io.stdout.write(text);
}

/** Numbers have the digits that the service has sent. */
function printJson(text: string, io: Io): void {
  io.stdout.write(`${stringify(parse(text), undefined, 2)!}\n`);
}

function printHead({ status, headers }: Pick<Response, 'status' | 'headers'>, io: Io): void {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\n`).join('');
  io.stdout.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\n${lines}\n`);
}

/** The body of a rejection is a result, as with curl: the message for people is on standard error. */
async function printRejection(error: unknown, { include }: RequestFlags, io: Io): Promise<void> {
  const { status, headers, body } = error as { status?: number; headers?: Headers; body?: string };
  if (status === undefined || headers === undefined || body === undefined) return;
  await printResponse(new Response(body, { status, headers }), { include, filter: undefined, io });
}
