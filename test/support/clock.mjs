import { readFileSync } from 'node:fs';

/**
 * Loaded before the service (`--import`). Adds the number of milliseconds in the file CLOCK_FILE to `Date`; the file is
 * read at each call. Timers are unchanged.
 */
const RealDate = Date;
const now = () => RealDate.now() + Number(readFileSync(process.env.CLOCK_FILE, 'utf8'));

globalThis.Date = class Date extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(now());
    else super(...args);
  }

  static now() {
    return now();
  }
};
