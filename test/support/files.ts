import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiResponse, Api } from './api.js';
import { ROOT } from './service.js';

const FOLDER = join(ROOT, 'test/fixtures/files');

/** Names of fixture files, one or more per supported type. */
export const samples = readdirSync(FOLDER).filter((name) => !name.endsWith('.md'));

export const bytesOf = (name: string): Buffer => readFileSync(join(FOLDER, name));
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const PNG = bytesOf('picture.png');

/** A picture of exactly `size` bytes; bytes after the end of the image are ignored. */
export const picture = (size: number): Buffer => Buffer.concat([PNG, Buffer.alloc(size - PNG.length)]);

/** A picture with random bytes, so that no blob with this content exists. */
export const newPicture = (size = 1_000): Buffer => Buffer.concat([PNG, randomBytes(size - PNG.length)]);

/** A file as part of a JSON body. */
export const base64 = (name: string, bytes = bytesOf(name)) => ({ filename: name, data: bytes.toString('base64') });

/** A file as part of a form. */
export const file = (name: string, bytes: Uint8Array = bytesOf(name)): File => new File([new Uint8Array(bytes)], name);

/** A form with fields and files; a string names a fixture file. */
export function form(fields: Record<string, string>, files: (string | File)[] = []): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  for (const each of files) body.append('files', typeof each === 'string' ? file(each) : each);
  return body;
}

/** Sends a form unchanged: a FormData, or a raw body with its Content-Type in `headers`. */
export async function sendForm(
  caller: Api,
  path: string,
  body: FormData | Uint8Array | string,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const response = await fetch(caller.baseUrl + path, {
    method: 'POST',
    headers: { ...caller.headers, ...headers },
    body: body as FormData,
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Replaces the origin of a signed URL, PUBLIC_URL, by the address of the service under test. */
export function localUrl({ baseUrl }: { baseUrl: string }, url: string): string {
  const { pathname, search } = new URL(url);
  return baseUrl + pathname + search;
}

/** A body without the expiry of its URLs, which differs between two responses at the end of each quarter of an hour. */
export function withoutExpiry<T>(body: T): T {
  const text = JSON.stringify(body)
    .replace(/expires=\d+&signature=[\w-]+/g, 'expires=')
    .replace(/"urlExpiresAt":"[^"]+"/g, '"urlExpiresAt":""');
  return JSON.parse(text) as T;
}

/** Downloads the bytes of a URL. */
export async function download(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}
