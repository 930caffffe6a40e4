/** What an import reads: text, bytes, a stream, or rows, which are sent as NDJSON. */
export type ImportSource =
  | string
  | Uint8Array<ArrayBuffer>
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string | object>
  | Iterable<object>;

const CHUNK_CHARACTERS = 65_536;

export type ByteSource = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>;

/** @param onBytes receives the number of bytes that were read so far, if the source is a stream. */
export function toByteSource(source: ImportSource, onBytes?: (bytes: number) => void): ByteSource {
  if (typeof source === 'string' || source instanceof Uint8Array || source instanceof Blob) return source;
  const bytes = encode(source as AsyncIterable<Uint8Array | string | object>);
  let count = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await bytes.next();
      const done = next.done === true;
      const value = next.value as Uint8Array;
      if (done) {
        controller.close();
        return;
      }
      count += value.length;
      onBytes?.(count);
      controller.enqueue(value);
    },
    async cancel() {
      await bytes.return(undefined);
    },
  });
}

/** Rows become lines of JSON. Short texts are joined. */
async function* encode(source: AsyncIterable<Uint8Array | string | object>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = '';
  for await (const part of source) {
    if (part instanceof Uint8Array) {
      if (text) yield encoder.encode(text);
      text = '';
      yield part;
      continue;
    }
    text += typeof part === 'string' ? part : `${JSON.stringify(part)}\n`;
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
