import type { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { Reply } from './envelope.js';

/** How long a reader may take nothing, in milliseconds: what is streamed holds resources until it is over. */
const STALLED_MS = 60_000;

/**
 * Sends a stream whose length nobody knows before its end. A reader that goes away, or takes nothing for a minute, ends it;
 * where the stream fails the connection is cut, so that nobody takes the part for the whole.
 */
export function streamReply(
  response: Response,
  stream: Readable,
  contentType: string,
  headers: Record<string, string>,
): Reply<StreamableFile> {
  const cut = () => {
    stream.destroy();
    response.destroy();
  };
  response.once('close', () => stream.destroy());
  response.setTimeout(STALLED_MS, cut);
  const file = new StreamableFile(stream, { type: contentType }).setErrorHandler(cut);
  return new Reply(file, { headers, bare: true });
}
