import { randomInt } from 'node:crypto';
import { UnavailableError } from '../../../packages/errors/src/domain-error.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';

/** Longest `Retry-After` of an overloaded instance, in seconds. */
const MAX_RETRY_AFTER_S = 3;

/** Share of a budget up to which bodies of any announced size are read. */
const FREE_SHARE = 1 / 2;

/**
 * After a body was rejected, the budget counts as used up for so many milliseconds: bodies that are sent slowly then
 * end before the rejected caller has waited five seconds (`watchRate`).
 */
const SCARCE_MS = 4_000;

/**
 * Bytes that one request uses. They are charged as they arrive, because a sender may announce more than it ever sends.
 */
export interface Reservation {
  /** The used share of the scarcest budget, from 0 to 1. */
  readonly occupancy: number;
  /**
   * Rejects a body before it is read if so many bytes would not fit and the budget is already in use by half. Below
   * that, the bodies that others have announced may never arrive.
   *
   * @throws {UnavailableError}
   */
  require(bytes: number): void;
  /**
   * Changes the charged bytes to this number. If they exceed the budget, the reservation is released at once, so that
   * of many bodies that arrive together some are received.
   *
   * @throws {UnavailableError} if they exceed the budget
   */
  resize(bytes: number): void;
  /** Ends the reservation; later changes have no effect. */
  release(): void;
}

/**
 * Bytes that one instance may use at the same time. A request larger than the whole budget is accepted if nothing else
 * is reserved.
 */
export class ByteBudget {
  private used = 0;
  private reservations = 0;
  private scarceUntil = 0;

  /**
   * @param message error message if the budget is exhausted.
   * @param together a larger budget that contains the reservations, too.
   * @param onUnused called when all reservations are released.
   */
  constructor(
    private readonly bytes: number,
    private readonly message: string,
    private readonly together?: ByteBudget,
    private readonly onUnused: () => void = () => undefined,
  ) {}

  get occupancy(): number {
    const share = this.used / this.bytes;
    return performance.now() < this.scarceUntil ? Math.max(share, 1) : share;
  }

  /** Opens a reservation of 0 bytes. */
  open(): Reservation {
    const outer = this.together?.open();
    let own = 0;
    let isOpen = true;
    this.reservations++;
    const check = (bytes: number, freeShare: number) => {
      const others = this.used - own;
      if (others <= this.bytes * freeShare || others + bytes <= this.bytes) return;
      this.scarceUntil = performance.now() + SCARCE_MS;
      // Random, so that the rejected callers do not all return at the same moment.
      throw new UnavailableError(HTTP_ERRORS.overloaded, this.message, {
        retryAfterS: randomInt(1, MAX_RETRY_AFTER_S + 1),
      });
    };
    const change = (bytes: number) => {
      this.used += bytes - own;
      own = bytes;
    };
    const resize = (bytes: number) => {
      if (!isOpen) return;
      try {
        if (bytes > own) check(bytes, 0);
        outer?.resize(bytes);
      } catch (error) {
        release();
        throw error;
      }
      change(bytes);
    };
    const release = () => {
      if (!isOpen) return;
      change(0);
      isOpen = false;
      outer?.release();
      if (--this.reservations === 0) this.onUnused();
    };
    const require = (bytes: number) => {
      check(bytes, FREE_SHARE);
      outer?.require(bytes);
    };
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- the getter below has its own `this`
    const budget = this;
    return {
      get occupancy() {
        return Math.max(budget.occupancy, outer?.occupancy ?? 0);
      },
      require,
      resize,
      release,
    };
  }
}
