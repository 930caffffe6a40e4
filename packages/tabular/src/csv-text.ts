/** The first characters of formulas in spreadsheets, including full-width ones (OWASP, CSV injection). */
export const FORMULA_BEGINNINGS = ['=', '+', '-', '@', '\t', '\r', '\n', '\uFF1D', '\uFF0B', '\uFF0D', '\uFF20'];

const LISTED = FORMULA_BEGINNINGS.join('');

/** A formula, also after apostrophes: the texts that exports to CSV prefix with an apostrophe. */
const FORMULA = new RegExp(`^'*[${LISTED.replace('-', String.raw`\-`)}]`);

/** `FORMULA` as a regular expression of PostgreSQL. */
export const FORMULA_PATTERN = `^'*[${LISTED.replace('-', '')}-]`;

const APOSTROPHE = 0x27;

/** Prefixes a text that a spreadsheet would execute with an apostrophe. `unguardFormula` is the inverse. */
export function guardFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Removes the apostrophe that `guardFormula` adds. All other texts remain as they are, such as `'t Hart`. */
export function unguardFormula(text: string): string {
  return text.charCodeAt(0) === APOSTROPHE && FORMULA.test(text) ? text.slice(1) : text;
}

/** A cell of CSV. An empty text has quotes, null has none. */
export function toCsvCell(value: string | null, delimiter = ','): string {
  if (value === null) return '';
  const needsQuotes = value === '' || value.includes(delimiter) || /["\r\n]/.test(value);
  return needsQuotes ? `"${value.replaceAll('"', '""')}"` : value;
}

/** A record of CSV with its line end. A record of one empty cell would be a blank line, so it has quotes. */
export function toCsvRecord(values: readonly (string | null)[], delimiter = ','): string {
  const record = values.map((value) => toCsvCell(value, delimiter)).join(delimiter);
  return `${record === '' ? '""' : record}\n`;
}
