import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { NextFunction, Request, Response } from 'express';
import { endAndDrain } from '../http/connections.js';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { watchRate } from '../http/rate-watch.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { listen, listenOnce } from '../listeners.js';

/** A body must have a number of bytes, about 1 KiB per second, in each interval of so many seconds. */
export const BODY_INTERVAL_S = 30;
export const MIN_BODY_BYTES = 32 * 1024;

export interface BodyDeadline {
  /**
   * The whole body must be received within so many milliseconds, whether it progresses or not. Without it, a body may
   * take any time, but must have a minimum rate.
   */
  completeMs?: number;
  /**
   * The used share of what bodies occupy, from 0 to 1. Above a half, a body must have a minimum rate, which rises with
   * it.
   */
  occupancy?: () => number;
}

/**
 * Waits until the body is read, and gives up on a sender that occupies memory without sending.
 *
 * @param reading resolves when the body is complete.
 * @returns what it resolves to
 * @throws {DomainError} `request_timeout`; the connection closes with the response
 */
export async function readInTime<Result>(
  request: IncomingMessage,
  reading: Promise<Result>,
  { completeMs, occupancy }: BodyDeadline = {},
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  let stopWatch: (() => void) | undefined;
  let received = 0;
  let all = 0;
  const timeout = new Promise<never>((_, reject) => {
    const checkRate = () => {
      if (!request.complete && received < MIN_BODY_BYTES) reject(createMinimumRateError(received));
      received = 0;
    };
    timer = completeMs
      ? setTimeout(() => reject(createIncompleteError(completeMs)), completeMs)
      : setInterval(checkRate, BODY_INTERVAL_S * 1_000);
    if (!occupancy) return;
    const waitsForPeer = () => request.readableLength === 0 && !request.readableEnded;
    const onSlow = (rate: number, required: number) => reject(createRequiredRateError(rate, required));
    stopWatch = watchRate({ occupancy, bytes: () => all, waitsForPeer, onSlow });
  });
  const countBytes = ({ length }: Buffer) => {
    received += length;
    all += length;
  };
  const endListening = completeMs === undefined ? listen(request, 'data', countBytes) : undefined;
  try {
    return await Promise.race([reading, timeout]);
  } finally {
    clearInterval(timer);
    stopWatch?.();
    endListening?.();
  }
}

const createIncompleteError = (ms: number) =>
  createTimeoutError(`The body was not received within ${ms / 1000} seconds.`);

const createMinimumRateError = (bytes: number) =>
  createTimeoutError(
    `The body was received too slowly: ${bytes} bytes within ${BODY_INTERVAL_S} seconds. Send at least ${MIN_BODY_BYTES}.`,
  );

const createRequiredRateError = (rate: number, required: number) =>
  createTimeoutError(
    `The body was received at ${rate} bytes per second. While the instance is busy, send at least ${required} bytes per second.`,
  );

function createTimeoutError(message: string): DomainError {
  return new DomainError(HTTP_ERRORS.request_timeout, message, { headers: { Connection: 'close' } });
}

/**
 * Milliseconds that the sender of a rejected body may continue: many read the response only after sending everything.
 */
const REST_MS = 5_000;

/** Waits a moment for the rest of a rejected body, then lets the connection close with the response. */
export async function discardRest(request: Request, response: Response, error: unknown): Promise<void> {
  const isEndless =
    error instanceof DomainError && error.kind === 'too_large' && request.headers['content-length'] === undefined;
  const isLate = error instanceof DomainError && error.headers['Connection'] !== undefined;
  if (!isEndless && !isLate && !request.complete && !request.destroyed) await waitForEnd(request);
  if (!request.complete) closeAfterUnreadBody(request, response);
}

async function waitForEnd(request: Request): Promise<void> {
  const ended = new AbortController();
  for (const event of ['end', 'close']) listenOnce(request, event, () => ended.abort());
  await delay(REST_MS, undefined, { signal: ended.signal }).catch(() => undefined);
}

/** Makes the response the last one on its connection; a caller that is still sending receives it. */
export function closeAfterUnreadBody({ socket }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Connection', 'close');
  // Node calls this after the last response.
  socket.destroySoon = () => endAndDrain(socket);
}

/** Milliseconds that a sender may continue an unread body after the response. */
const UNREAD_MS = 60_000;

/** Middleware: closes connections whose body continues after the response: no route measures their duration. */
export function limitUnreadBodies(request: Request, response: Response, next: NextFunction): void {
  limitUnreadBody(request, response);
  next();
}

export function limitUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  listenOnce(response, 'finish', () => {
    if (request.complete) return;
    const timer = setTimeout(() => request.socket.destroy(), UNREAD_MS);
    for (const event of ['end', 'close']) listenOnce(request, event, () => clearTimeout(timer));
  });
}
