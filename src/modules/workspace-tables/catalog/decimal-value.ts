import { InvalidValue } from './stored-value.js';

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/** Every decimal of at most this many significant digits survives as a double. */
const SAFE_DIGITS = 15;

/**
 * A decimal text as the double that says the same. Accepted where it has at most 15 significant digits, or where the
 * double's own shortest text has just its digits (see docs/adr/0003); the empty text is null.
 */
export function parseDecimal(text: string): number | null | InvalidValue {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const match = DECIMAL.exec(trimmed);
  const digits = match ? `${match[2]}${match[3] ?? ''}` : '';
  if (!match || digits === '') return new InvalidValue(`"${text.slice(0, 40)}" is not a number.`);
  const value = Number(trimmed);
  if (!Number.isFinite(value)) return new InvalidValue(`${trimmed.slice(0, 40)} is too large to be stored.`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return new InvalidValue(
      `The integer ${trimmed.slice(0, 40)} is beyond ±(2^53 − 1) and would lose digits; use a text column.`,
    );
  }
  const significant = significantDigits(digits);
  const exact =
    (significant.length <= SAFE_DIGITS || significant === digitsOf(value)) && (value !== 0 || significant === '');
  return exact
    ? value
    : new InvalidValue(`${trimmed.slice(0, 40)} has more digits than a number keeps (${SAFE_DIGITS} always fit).`);
}

function significantDigits(digits: string): string {
  return digits.replace(/^0+/, '').replace(/0+$/, '');
}

function digitsOf(value: number): string {
  return significantDigits(String(Math.abs(value)).replace(/e.*$/, '').replace('.', ''));
}
