/**
 * UAX #15 limits the marks after a character to 30 in texts that are safe to process. No language needs more than a
 * few.
 */
const LONG_ROW_OF_MARKS = /\p{M}{31}/u;

/**
 * The text in Unicode NFC. A text with more than 30 combining marks in a row stays as it is: the time to order them
 * grows with the square of their number, and is seconds for 100 kB.
 */
export function toNfc(text: string): string {
  return LONG_ROW_OF_MARKS.test(text) ? text : text.normalize('NFC');
}
