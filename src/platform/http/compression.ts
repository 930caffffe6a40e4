import { constants } from 'node:zlib';
import compression from 'compression';
import type { Request, RequestHandler, Response } from 'express';
import onHeaders from 'on-headers';

/** Smaller bodies fit in one network packet. */
const THRESHOLD_BYTES = 1024;

/**
 * The cheapest levels: the default ones take up to twice the CPU to save at most a quarter of the bytes. The window of
 * Brotli is 64 KiB instead of 4 MiB, to limit the memory of concurrent responses.
 */
const OPTIONS: compression.CompressionOptions = {
  threshold: THRESHOLD_BYTES,
  level: constants.Z_BEST_SPEED,
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 16 } },
};

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;

const STRONG_TAG = /^"(.*)"$/;

/**
 * Compresses JSON responses for callers that accept it (`Accept-Encoding`): not every installation has a proxy that
 * does, and one that does removes the header from its requests. Exports and files have other media types and remain
 * streams: a compressor would buffer their rows.
 *
 * @param isSecret requests whose responses contain secrets: the length of a compressed response would depend on them
 *   (BREACH).
 */
export function compressJson(isSecret: (request: Request) => boolean): RequestHandler {
  const filter = (request: Request, response: Response) =>
    JSON_TYPE.test(String(response.getHeader('Content-Type'))) && !isSecret(request);
  const compress = compression({ ...OPTIONS, filter });
  return (request, response, next) => {
    if (response.hasHeader('Vary')) response.vary('Accept-Encoding');
    else response.setHeader('Vary', 'Accept-Encoding');
    // The observers of a response take 50 µs, which callers that accept no coding do not pay.
    if (request.headers['accept-encoding'] === undefined) {
      next();
      return;
    }
    // The observers of headers run in reverse order: the tag is set after the compression is decided.
    setCodedEtag(request, response);
    compress(request.method === 'HEAD' ? toGetRequest(request) : request, response, next);
  };
}

/** HEAD has the headers of GET (RFC 9110, section 9.3.2), but the library would not compress a response to HEAD. */
function toGetRequest(request: Request): Request {
  return Object.create(request, { method: { value: 'GET' } }) as Request;
}

/**
 * Appends the coding to the `ETag`: strong tags of different representations differ (RFC 9110, section 8.8.3.3). A 304
 * has the tag of the representation that the caller has.
 */
function setCodedEtag({ headers }: Request, response: Response): void {
  onHeaders(response, () => {
    const opaque = STRONG_TAG.exec(String(response.getHeader('ETag')))?.[1];
    if (opaque === undefined) return;
    const coding =
      response.statusCode === 304
        ? findCoding(headers['if-none-match'], opaque)
        : (response.getHeader('Content-Encoding') as string | undefined);
    if (coding !== undefined) response.setHeader('ETag', `"${opaque}-${coding}"`);
  });
}

function findCoding(ifNoneMatch = '', opaque: string): string | undefined {
  return ['br', 'gzip', 'deflate'].find((coding) => ifNoneMatch.includes(`"${opaque}-${coding}"`));
}
