import type { Request } from 'express';
import { clientAddress } from '../http/client-address.js';
import { ByteBudget, type Reservation } from './byte-budget.js';

/** Bytes for the callers of an instance. */
interface CallerBytes {
  authenticated: number;
  /** Those of one user. */
  user: number;
  /** All anonymous callers together. */
  anonymous: number;
  /** The anonymous callers of one address. */
  address: number;
}

/**
 * Budgets for signed-in and for anonymous callers, so that the latter never use up what the others need, nor does one
 * caller.
 */
export class CallerBudgets {
  private readonly authenticated: ByteBudget;
  private readonly anonymous: ByteBudget;
  private readonly users = new Map<string, ByteBudget>();
  private readonly addresses = new Map<string, ByteBudget>();

  /** @param message error message if a budget is exhausted. */
  constructor(
    private readonly bytes: CallerBytes,
    private readonly message: string,
  ) {
    this.authenticated = new ByteBudget(bytes.authenticated, message);
    this.anonymous = new ByteBudget(bytes.anonymous, message);
  }

  /** Opens a reservation of 0 bytes in the budgets of the caller. */
  open(request: Request): Reservation {
    const { principal } = request;
    return principal
      ? this.openOf(this.users, principal.userId, this.bytes.user, this.authenticated)
      : this.openOf(this.addresses, clientAddress(request), this.bytes.address, this.anonymous);
  }

  private openOf(budgets: Map<string, ByteBudget>, caller: string, bytes: number, together: ByteBudget): Reservation {
    const known = budgets.get(caller);
    const ofCaller = known ?? new ByteBudget(bytes, this.message, together, () => budgets.delete(caller));
    if (!known) budgets.set(caller, ofCaller);
    return ofCaller.open();
  }
}
