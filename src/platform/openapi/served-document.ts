import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { isNotModified } from '../http/conditional-requests.js';

const COMPRESS = {
  br: (json: Buffer) =>
    // Level 9 takes 20 ms; the highest level takes 40 times as long for a twentieth of the size.
    promisify(brotliCompress)(json, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (json: Buffer) => promisify(gzip)(json, { level: constants.Z_BEST_COMPRESSION }),
};

type Coding = keyof typeof COMPRESS;

/** The document as JSON. It is compressed once per coding, by the first request that accepts the coding. */
export class ServedDocument {
  private readonly json: Buffer;
  private readonly etag: string;
  private readonly compressed = new Map<Coding, Promise<Buffer>>();

  constructor(document: OpenAPIObject) {
    this.json = Buffer.from(JSON.stringify(document));
    this.etag = `"${createHash('sha256').update(this.json).digest('base64url')}"`;
  }

  /** @param compress false: every caller receives the JSON as it is. */
  async send(request: Request, response: Response, compress: boolean): Promise<void> {
    response.set({ 'Content-Type': 'application/json; charset=utf-8', ETag: this.etag }).vary('Accept-Encoding');
    if (isNotModified(request, this.etag)) {
      response.status(304).end();
      return;
    }
    const coding = compress ? request.acceptsEncodings('br', 'gzip', 'identity') : 'identity';
    if (coding !== 'br' && coding !== 'gzip') {
      response.send(this.json);
      return;
    }
    const body = await this.compress(coding);
    response.set('Content-Encoding', coding).send(body);
  }

  private compress(coding: Coding): Promise<Buffer> {
    const body = this.compressed.get(coding) ?? COMPRESS[coding](this.json);
    this.compressed.set(coding, body);
    return body;
  }
}
