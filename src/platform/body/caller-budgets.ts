import type { Request } from 'express';
import { clientAddress } from '../http/client-address.js';
import { ByteBudget, joinReservations, type Reservation } from './byte-budget.js';

/** Bytes for the callers of an instance. */
interface CallerBytes {
  authenticated: number;
  /** All anonymous callers together. */
  anonymous: number;
  /** The anonymous callers of one address. */
  address: number;
}

/** Budgets for signed-in and for anonymous callers, so that the latter never use up what the others need. */
export class CallerBudgets {
  private readonly authenticated: ByteBudget;
  private readonly anonymous: ByteBudget;
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
    if (request.principal) return this.authenticated.open();
    const address = clientAddress(request);
    const ofAddress = this.addresses.get(address) ?? new ByteBudget(this.bytes.address, this.message);
    this.addresses.set(address, ofAddress);
    const joined = joinReservations([ofAddress.open(), this.anonymous.open()]);
    const release = () => {
      joined.release();
      if (ofAddress.isUnused && this.addresses.get(address) === ofAddress) this.addresses.delete(address);
    };
    return Object.defineProperty({ ...joined, release }, 'occupancy', { get: () => joined.occupancy });
  }
}
