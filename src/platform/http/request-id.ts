import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

declare module 'http' {
  interface IncomingMessage {
    /** Identifies the request in the response, in the log and in every error. */
    requestId: string;
  }
}

/** What a caller may send as its own id: printable and short, so that it cannot forge a log line. */
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

/** `X-Request-Id` in and out: a sensible one that the caller sent is kept, else one is made. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  const sent = request.headers['x-request-id'];
  request.requestId = typeof sent === 'string' && ACCEPTABLE.test(sent) ? sent : randomUUID();
  response.setHeader('X-Request-Id', request.requestId);
  next();
}
