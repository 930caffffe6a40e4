import { readFileSync } from 'node:fs';

/**
 * Loaded before the service (`--import`), puts its clock forward by as many milliseconds as the file CLOCK_FILE says at
 * that moment. Timers go on as they are.
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
