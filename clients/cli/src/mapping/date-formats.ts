const PARTS: Record<string, string> = { YYYY: '(?<year>\\d{4})', MM: '(?<month>\\d{2})', DD: '(?<day>\\d{2})' };

/** Formats that the inference tries; days precede months as in the systems that write such files. */
export const KNOWN_FORMATS = ['YYYY-MM-DD', 'YYYYMMDD', 'DD.MM.YYYY', 'DD/MM/YYYY'];

/** Whether it has each of year, month and day once, and no other letters or digits. */
export function isDateFormat(format: string): boolean {
  const parts = format.match(/YYYY|MM|DD|[\p{L}\d]/gu) ?? [];
  return parts.toSorted().join() === 'DD,MM,YYYY';
}

/** Compiles a format such as `DD.MM.YYYY` to a function that returns `YYYY-MM-DD`, or undefined for another text. */
export function compileDateFormat(format: string): (text: string) => string | undefined {
  const escaped = format.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`^${escaped.replace(/YYYY|MM|DD/g, (part) => PARTS[part] ?? part)}$`);
  return (text) => {
    const { year, month, day } = pattern.exec(text)?.groups ?? {};
    return year && month && day && Number(month) <= 12 && Number(day) <= 31 ? `${year}-${month}-${day}` : undefined;
  };
}
