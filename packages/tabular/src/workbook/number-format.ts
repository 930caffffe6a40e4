/** How a number of a workbook is displayed, if that differs from its shortest text. */
export interface DisplayedNumber {
  /** Undefined if the number cannot be displayed in its format without a loss. */
  text: string | undefined;
  /** Has the format zeros at the start or a prefix, as those of numbers that identify something? */
  isKey: boolean;
}

/** Colors and locales, the width of a character, and a repeated character. None of them is displayed as text. */
const HIDDEN = /\[(?:\$-|Black|Blue|Cyan|Green|Magenta|Red|White|Yellow|Color)[^\]]*\]|_.|\*./gi;
/** A quoted text, an escaped character, a placeholder for a digit, or a character that is displayed as it is. */
const PART = /"([^"]*)"|\\(.)|(0)|([-+$/():!^&'~{}<>= ])/y;
/** Only digits with a fixed number of decimals. */
const DECIMALS = /^#*0*\.(0+)$/;

/**
 * Displays a number by formats that consist of zeros and texts, such as `000000;@` and `"P-"000`, or of decimals, such
 * as `0.00`. All others, such as `#,##0`, depend on the language, or on the value.
 *
 * @returns undefined for other formats, and if the number is displayed as it is
 */
export function displayNumber(value: number, format: string): DisplayedNumber | undefined {
  if (format === '' || format === '@') return undefined;
  const section = chooseSection(value, splitSections(format.replace(HIDDEN, '')));
  const decimals = DECIMALS.exec(section)?.[1];
  if (decimals !== undefined) {
    const text = value.toFixed(decimals.length);
    return Number(text) === value && text !== String(value) ? { text, isKey: false } : undefined;
  }
  const parts = splitParts(section);
  if (!parts) return undefined;
  const zeros = parts.filter((part) => part === undefined).length;
  const isKey = zeros > 1 || (zeros > 0 && parts[0] !== undefined);
  if (zeros === 0 && section !== '') return undefined;
  const isNegative = value < 0 && splitSections(format).length === 1;
  const text = zeros > 0 && Number.isSafeInteger(value) ? fill(parts, String(Math.abs(value)), zeros) : undefined;
  const shown = text === undefined ? undefined : `${isNegative ? '-' : ''}${text}`;
  return shown === String(value) ? undefined : { text: shown, isKey: isKey || section === '' };
}

/** The sections of a format, for positive and negative numbers, zero and texts; semicolons in texts do not separate. */
function splitSections(format: string): string[] {
  return format.match(/(?:"[^"]*"|\\.|[^;"\\])+|(?<=^|;)(?=;|$)/g) ?? [''];
}

function chooseSection(value: number, sections: readonly string[]): string {
  const numeric = sections.filter((section) => !section.includes('@'));
  const [positive = '', negative = positive, zero = positive] = numeric;
  if (value === 0) return zero;
  return value < 0 ? negative : positive;
}

/** Texts, and undefined for each digit; undefined if the section has another part. */
function splitParts(section: string): (string | undefined)[] | undefined {
  const parts: (string | undefined)[] = [];
  for (PART.lastIndex = 0; PART.lastIndex < section.length;) {
    const found = PART.exec(section);
    if (!found) return undefined;
    const [, quoted, escaped, zero, plain] = found;
    parts.push(zero ? undefined : (quoted ?? escaped ?? plain));
  }
  return parts;
}

/** Digits replace the zeros from the end; the first zero receives all that remain. */
function fill(parts: readonly (string | undefined)[], digits: string, zeros: number): string {
  const padded = digits.padStart(zeros, '0');
  let at = padded.length - zeros;
  let isFirst = true;
  const next = (): string => {
    const start = isFirst ? 0 : at;
    isFirst = false;
    return padded.slice(start, ++at);
  };
  return parts
    .map((part) => part ?? next())
    .join('')
    .trim();
}
