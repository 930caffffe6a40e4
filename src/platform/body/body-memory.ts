import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../config/config.js';
import { clientAddress } from '../http/client-address.js';
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

  get isEmpty(): boolean {
    return this.reserved === 0;
  }

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

/** Shares of the memory that anonymous callers may use in addition, so that they never use up what the others need. */
const ANONYMOUS_SHARE = 1 / 2;
const ADDRESS_SHARE = 1 / 4;
const CREDENTIALS_SHARE = 1 / 8;

const EXHAUSTED =
  'The memory for request bodies is exhausted. Send the request again after the seconds in Retry-After.';

/**
 * Limits the memory of request bodies: reserves bytes before reading, and releases them when the handler is done. Anonymous
 * callers have budgets of their own: each address, all together, and for their credentials, so that a sign-in is always possible.
 */
@Injectable()
export class BodyMemory {
  private readonly authenticated: ByteBudget;
  private readonly anonymous: ByteBudget;
  private readonly credentials: ByteBudget;
  private readonly addresses = new Map<string, ByteBudget>();
  private readonly addressBytes: number;

  constructor({ body: { memoryBytes } }: Config) {
    this.authenticated = new ByteBudget(memoryBytes, EXHAUSTED);
    this.anonymous = new ByteBudget(memoryBytes * ANONYMOUS_SHARE, EXHAUSTED);
    this.credentials = new ByteBudget(memoryBytes * CREDENTIALS_SHARE, EXHAUSTED);
    this.addressBytes = memoryBytes * ADDRESS_SHARE;
  }

  /** Reserves the bytes until the request ends. @throws {UnavailableError} if the budget is exhausted */
  reserve(request: Request, response: Response, bytes: number, areCredentials = false): void {
    if (areCredentials) request.releaseBody = this.credentials.reserve(bytes);
    else request.releaseBody = this.reserveFor(request, bytes);
    onResponseEnd(response, () => request.releaseBody?.());
  }

  /** Reduces the reservation to so many bytes, when a part of the body is no longer in memory. */
  shrink(request: Request, bytes: number): void {
    request.releaseBody?.();
    request.releaseBody = this.reserveFor(request, bytes);
  }

  private reserveFor(request: Request, bytes: number): () => void {
    if (request.principal) return this.authenticated.reserve(bytes);
    const address = clientAddress(request);
    const ofAddress = this.addresses.get(address) ?? new ByteBudget(this.addressBytes, EXHAUSTED);
    const releaseAddress = ofAddress.reserve(bytes);
    const release = () => {
      releaseAddress();
      if (ofAddress.isEmpty) this.addresses.delete(address);
    };
    this.addresses.set(address, ofAddress);
    try {
      const releaseTogether = this.anonymous.reserve(bytes);
      return () => {
        releaseTogether();
        release();
      };
    } catch (error) {
      release();
      throw error;
    }
  }
}

/** Calls back when the response is sent or its connection closed; immediately if it already is. */
export function onResponseEnd(response: Response, callback: () => void): void {
  if (response.closed) callback();
  else response.once('close', callback);
}
