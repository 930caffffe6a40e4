import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../config/config.js';
import { onResponseEnd } from '../http/handler-hooks.js';
import type { Reservation } from './byte-budget.js';
import { CallerBudgets } from './caller-budgets.js';

/** Share of the memory that one user may use. */
const USER_SHARE = 3 / 4;

/** Shares of the memory that anonymous callers may use in addition. */
const ANONYMOUS_SHARE = 1 / 2;
const ADDRESS_SHARE = 1 / 4;
const CREDENTIALS_SHARE = 1 / 8;
const CREDENTIALS_ADDRESS_SHARE = 1 / 32;

const EXHAUSTED =
  'The memory for request bodies is exhausted. Send the request again after the seconds in Retry-After.';

/**
 * Limits the memory of request bodies, from their first byte until the handler is done. Anonymous callers have budgets
 * of their own: each address, all together, and for their credentials, so that a sign-in is always possible.
 */
@Injectable()
export class BodyMemory {
  private readonly callers: CallerBudgets;
  private readonly credentials: CallerBudgets;

  constructor({ body: { memoryBytes } }: Config) {
    const [anonymous, address] = [memoryBytes * ANONYMOUS_SHARE, memoryBytes * ADDRESS_SHARE];
    const authenticated = { authenticated: memoryBytes, user: memoryBytes * USER_SHARE };
    this.callers = new CallerBudgets({ ...authenticated, anonymous, address }, EXHAUSTED);
    const forCredentials = memoryBytes * CREDENTIALS_SHARE;
    const ofAddress = memoryBytes * CREDENTIALS_ADDRESS_SHARE;
    this.credentials = new CallerBudgets(
      { authenticated: forCredentials, user: ofAddress, anonymous: forCredentials, address: ofAddress },
      EXHAUSTED,
    );
  }

  /** Opens the reservation of a body, which is released when the response is sent. */
  open(request: Request, response: Response, areCredentials = false): Reservation {
    const reservation = (areCredentials ? this.credentials : this.callers).open(request);
    request.bodyMemory = reservation;
    onResponseEnd(response, () => request.bodyMemory?.release());
    return reservation;
  }
}
