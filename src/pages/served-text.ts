import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { isNotModified } from '../platform/http/conditional-requests.js';

const COMPRESS = {
  br: (text: Buffer) =>
    // Level 9 takes 20 ms for the document; the highest level takes 40 times as long for a twentieth of the size.
    promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (text: Buffer) => promisify(gzip)(text, { level: constants.Z_BEST_COMPRESSION }),
};

type Coding = keyof typeof COMPRESS;
const CODINGS = Object.keys(COMPRESS) as Coding[];

/**
 * A text that does not change, such as the document. It is compressed once per coding, by `prepare` or by the first
 * request that accepts it.
 */
export class ServedText {
  private readonly text: Buffer;
  private readonly etag: string;
  /** Changes with the content. */
  readonly version: string;
  private readonly compressed = new Map<Coding, Promise<Buffer>>();

  constructor(
    text: string | Buffer,
    private readonly contentType: string,
    private readonly isCompressible = true,
  ) {
    this.text = Buffer.from(text);
    const digest = createHash('sha256').update(this.text).digest('base64url');
    this.etag = `"${digest}"`;
    this.version = digest.slice(0, 10);
  }

  /** Compresses the text, so that no request waits for it. */
  async prepare(): Promise<void> {
    if (this.isCompressible) await Promise.all(CODINGS.map((coding) => this.compress(coding)));
  }

  async send(request: Request, response: Response): Promise<void> {
    const caching = request.query['v'] === this.version ? 'public, max-age=31536000, immutable' : 'no-cache';
    response
      .set({ 'Content-Type': this.contentType, ETag: this.etag, 'Cache-Control': caching })
      .vary('Accept-Encoding');
    if (isNotModified(request, this.etag)) {
      response.status(304).end();
      return;
    }
    const coding = this.isCompressible ? request.acceptsEncodings('br', 'gzip', 'identity') : 'identity';
    if (coding !== 'br' && coding !== 'gzip') {
      response.send(this.text);
      return;
    }
    const body = await this.compress(coding);
    response.set('Content-Encoding', coding).send(body);
  }

  private compress(coding: Coding): Promise<Buffer> {
    const body = this.compressed.get(coding) ?? COMPRESS[coding](this.text);
    this.compressed.set(coding, body);
    return body;
  }
}
