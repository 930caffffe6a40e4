import { toRowJson } from './row-json.js';

/** What an import reads: text, bytes, a stream, or rows, which are sent as NDJSON. */
export type SingleSource =
  | string
  | Uint8Array<ArrayBuffer>
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string | object>
  | Iterable<object>;

/** A function opens the source for each attempt, so that a stream can be sent again. */
export type ImportSource = SingleSource | (() => SingleSource);

const CHUNK_CHARACTERS = 65_536;

export type ByteSource = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>;

/** Browsers send streams only over HTTP/2, and a server without it cannot be recognized in advance. */
const SENDS_STREAMS = typeof process === 'object' || !('document' in globalThis || 'importScripts' in globalThis);

/**
 * Browsers receive a `Blob` instead of a stream, which they may store on disk.
 *
 * @param onBytes receives the number of bytes that were read so far, if the source is a stream.
 */
export async function toByteSource(source: SingleSource, onBytes?: (bytes: number) => void): Promise<ByteSource> {
  if (typeof source === 'string' || source instanceof Uint8Array || source instanceof Blob) return source;
  const stream = toStream(source, onBytes);
  return SENDS_STREAMS ? stream : new Response(stream).blob();
}

/** The body of a request: of a function, a body per attempt. */
export async function toBody(
  source: ImportSource,
  convert: (opened: SingleSource) => Promise<ByteSource>,
): Promise<ByteSource | (() => Promise<ByteSource>)> {
  return typeof source === 'function' ? () => convert(source()) : convert(source);
}

/** The errors of streams that failed because their source did: fetch reports them as failed connections. */
const sourceErrors = new WeakMap<object, Error>();

/** The error of the source of a body: of the iterable of the caller, or of a value that cannot be sent. */
export function getSourceError(body: unknown): Error | undefined {
  return body instanceof ReadableStream ? sourceErrors.get(body) : undefined;
}

function toStream(
  source: Exclude<SingleSource, ByteSource> | ReadableStream<Uint8Array>,
  onBytes?: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  const bytes = encode(readAll(source));
  let count = 0;
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await bytes.next().catch((error: unknown) => {
        sourceErrors.set(stream, error as Error);
        throw error;
      });
      if (next.done) {
        controller.close();
        return;
      }
      count += next.value.length;
      onBytes?.(count);
      controller.enqueue(next.value);
    },
    async cancel() {
      await bytes.return(undefined);
    },
  });
  return stream;
}

/** Streams of browsers may not be iterable. */
async function* readAll(
  source: Exclude<SingleSource, ByteSource> | ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array | string | object, void> {
  if (!(source instanceof ReadableStream)) {
    yield* source;
    return;
  }
  const reader = source.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** A form whose only file has this source. @param parts the text of the form before the file, and after it */
export async function* toForm(
  source: SingleSource,
  [before, after]: readonly [string, string],
): AsyncGenerator<Uint8Array | string | object, void> {
  yield before;
  if (typeof source === 'string' || source instanceof Uint8Array) yield source;
  else yield* readAll(source instanceof Blob ? source.stream() : source);
  yield after;
}

/** Rows become lines of JSON. Short texts are joined. */
async function* encode(source: AsyncIterable<Uint8Array | string | object>): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  let text = '';
  let rows = 0;
  for await (const part of source) {
    if (part instanceof Uint8Array) {
      if (text) yield encoder.encode(text);
      text = '';
      yield part;
      continue;
    }
    text += typeof part === 'string' ? part : `${toRowJson(part, rows++)}\n`;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield encoder.encode(text);
    text = '';
  }
  if (text) yield encoder.encode(text);
}

/** The values of a stream of NDJSON. */
export async function* parseLines<Value>(stream: ReadableStream<Uint8Array>): AsyncGenerator<Value, void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split('\n');
      rest = done ? '' : (lines.pop() ?? '');
      for (const line of lines) if (line !== '') yield JSON.parse(line) as Value;
      if (done) return;
    }
  } finally {
    // Closes the connection if the caller stops early.
    await reader.cancel().catch(() => undefined);
  }
}
