/**
 * UAX #15 limits the marks after a character to 30 in texts that are safe to process. No language needs more than a
 * few.
 */
const LONG_ROW_OF_MARKS = /\p{M}{31}/u;

/**
 * Marks, and the two letters that NFKD turns into marks. A row of them, whose marks are of several classes, takes NFKD
 * a time that grows with the square of its length.
 */
const ROWS_OF_MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/** The text in Unicode NFKD, with at most 30 combining marks in a row. Only for comparisons: marks are lost. */
export function toNfkd(text: string): string {
  return text.replace(ROWS_OF_MARKS, '$1').normalize('NFKD');
}

/**
 * The text in Unicode NFC. A text with more than 30 combining marks in a row stays as it is: the time to order them
 * grows with the square of their number, and is seconds for 100 kB.
 */
export function toNfc(text: string): string {
  return LONG_ROW_OF_MARKS.test(text) ? text : text.normalize('NFC');
}

/** The form in which names of tables and columns are compared: trimmed, NFC, lowercase. */
export function normalizeName(name: string): string {
  return toNfc(name.trim()).toLowerCase();
}

/** More than any name or key may have. */
const MAX_NORMALIZED = 10_000;

/**
 * The stored form of names and row keys: Unicode NFC without surrounding white space. A text that is too long for them
 * stays as it is.
 */
export function normalText(text: string): string {
  return text.length > MAX_NORMALIZED ? text : toNfc(text.trim());
}

/** The words of a text in `a-z` and `0-9`, without accents, with the separator between them; possibly empty. */
export function toSlug(text: string, separator: '-' | '_'): string {
  const plain = toNfkd(text.slice(0, MAX_NORMALIZED)).replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join(separator);
}

/** Can the text be stored unchanged? PostgreSQL rejects U+0000, and UTF-8 has no single surrogates. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
