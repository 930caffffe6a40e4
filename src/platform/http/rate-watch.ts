/** Bytes per second that a transfer must have at least if everything that it shares with others is used. */
const FULL_BYTES_PER_S = 64 * 1024;

/** Each twelfth of the occupancy above a half doubles the required rate, from 1 KiB/s. */
const DOUBLINGS = 12;

const TICK_MS = 1_000;

/**
 * Seconds over which the rate is measured. Together with `TICK_MS` less than the five seconds that another caller may
 * wait.
 */
const WINDOW_S = 3;

/**
 * The least rate of a transfer, in bytes per second. It rises with the used share of what transfers occupy (0 to 1),
 * such as slots or bytes: 0 up to a half, then from 1 KiB/s to 64 KiB/s.
 */
export function minimumRate(occupancy: number): number {
  if (occupancy <= 0.5) return 0;
  return FULL_BYTES_PER_S / 2 ** (DOUBLINGS * (1 - Math.min(1, occupancy)));
}

export interface WatchedTransfer {
  /** The used share of what transfers occupy, from 0 to 1. */
  occupancy: () => number;
  /** Bytes that the other side has sent or read so far. */
  bytes: () => number;
  /** Does the transfer wait for the other side, and not for this one? */
  waitsForPeer: () => boolean;
  /** @param required bytes per second. */
  onSlow: (rate: number, required: number) => void;
}

/** Ends transfers that are slower than the minimum rate. @returns a function that stops watching. */
export function watchRate({ occupancy, bytes, waitsForPeer, onSlow }: WatchedTransfer): () => void {
  let counts = [bytes()];
  const tick = () => {
    if (!waitsForPeer()) counts = [];
    counts.push(bytes());
    if (counts.length <= WINDOW_S) return;
    const rate = (counts.at(-1)! - counts.shift()!) / WINDOW_S;
    const required = minimumRate(occupancy());
    if (rate < required) onSlow(Math.floor(rate), Math.ceil(required));
  };
  const timer = setInterval(tick, TICK_MS).unref();
  return () => clearInterval(timer);
}
