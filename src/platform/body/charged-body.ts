import type { IncomingHttpHeaders } from 'node:http';
import { Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Request } from 'express';
import { IncompleteBodyError } from './body.errors.js';
import type { Reservation } from './byte-budget.js';
import type { JsonScanner } from './json-scanner.js';

/** The content encodings that body-parser supports. */
const DECOMPRESSORS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Headers that describe the body as it was sent, before it was decompressed. */
const SENT = ['content-encoding', 'content-length'];

/**
 * The body of a request, whose decompressed bytes are counted against the memory budget as they arrive (ADR 0070).
 * body-parser reads this stream instead of the request. The stream fails if the budget is exhausted or the sender
 * disconnects.
 */
export class ChargedBody extends Readable {
  readonly headers: IncomingHttpHeaders;
  /** Bytes that were received and decompressed. */
  bytes = 0;
  private readonly input: Readable;

  /** @param scanner counts the bytes as they arrive, so that a body beyond its limits is never complete. */
  constructor(
    readonly request: Request,
    private readonly memory: Reservation,
    private readonly scanner?: JsonScanner,
  ) {
    super();
    const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
    const decompress = DECOMPRESSORS.get(encoding);
    const isPlain = decompress !== undefined || encoding === 'identity';
    const sent = Object.entries(request.headers).filter(([name]) => !isPlain || !SENT.includes(name));
    this.headers = { ...Object.fromEntries(sent), 'transfer-encoding': 'chunked' };
    this.input = decompress ? request.pipe(decompress()) : request;
    this.input.on('data', this.onData).once('end', this.onEnd).once('error', this.onError);
    request.once('close', this.onCut);
  }

  override _read(): void {
    this.input.resume();
  }

  /** Passes what body-parser has read to the request. */
  complete(): void {
    this.request.body = (this as unknown as Pick<Request, 'body'>).body as unknown;
  }

  /** Frees the bytes; the rest of the request is not parsed. */
  discard(): void {
    this.input.off('data', this.onData).off('end', this.onEnd);
    if (this.input !== this.request) {
      this.request.unpipe();
      this.input.destroy();
    }
    this.destroy();
    this.memory.release();
    this.request.resume();
  }

  private readonly onData = (chunk: Buffer): void => {
    this.bytes += chunk.length;
    try {
      this.memory.resize(this.bytes);
      this.scanner?.add(chunk);
    } catch (error) {
      this.destroy(error as Error);
      return;
    }
    if (!this.push(chunk)) this.input.pause();
  };

  private readonly onEnd = (): void => void this.push(null);
  private readonly onError = (error: Error): void => void this.destroy(error);
  private readonly onCut = (): void => {
    if (!this.request.readableEnded) this.destroy(new IncompleteBodyError());
  };
}
