import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../config/config.js';
import { UnavailableError } from '../http/domain-error.js';

declare module 'http' {
  interface IncomingMessage {
    /** Releases the bytes of the body; undefined as soon as the handler is responsible for it. */
    releaseBody?: () => void;
  }
}

/** Longest `Retry-After` of an overloaded instance, in seconds. */
const MAX_RETRY_AFTER_S = 3;

/**
 * Bytes that one instance may use at the same time. A request that does not fit is rejected before its body is read, so
 * that overload costs little. A request larger than the whole budget is accepted if nothing else is reserved.
 */
export class ByteBudget {
  private reserved = 0;

  /** @param message error message if the budget is exhausted. */
  constructor(
    private readonly bytes: number,
    private readonly message: string,
  ) {}

  /** @returns a function that releases the bytes. @throws {UnavailableError} if the budget is exhausted */
  reserve(bytes: number): () => void {
    if (this.reserved > 0 && this.reserved + bytes > this.bytes) {
      // Random, so that the rejected callers do not all return at the same moment.
      throw new UnavailableError('overloaded', this.message, randomInt(1, MAX_RETRY_AFTER_S + 1));
    }
    this.reserved += bytes;
    let isReleased = false;
    return () => {
      if (!isReleased) this.reserved -= bytes;
      isReleased = true;
    };
  }
}

/** Limits the memory of request bodies: reserves bytes before reading, and releases them when the handler is done. */
@Injectable()
export class BodyMemory {
  private readonly budget: ByteBudget;

  constructor(config: Config) {
    this.budget = new ByteBudget(
      config.body.memoryBytes,
      'The memory for request bodies is exhausted. Send the request again after the seconds in Retry-After.',
    );
  }

  /** Reserves the bytes until the request ends. @throws {UnavailableError} if the budget is exhausted */
  reserve(request: Request, response: Response, bytes: number): void {
    request.releaseBody = this.budget.reserve(bytes);
    onResponseEnd(response, () => request.releaseBody?.());
  }

  /** Reduces the reservation to so many bytes, when a part of the body is no longer in memory. */
  shrink(request: Request, bytes: number): void {
    request.releaseBody?.();
    request.releaseBody = this.budget.reserve(bytes);
  }
}

/** Calls back when the response is sent or its connection closed; immediately if it already is. */
export function onResponseEnd(response: Response, callback: () => void): void {
  if (response.closed) callback();
  else response.once('close', callback);
}
