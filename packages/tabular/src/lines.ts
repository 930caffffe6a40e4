/** Lines end in LF, CR or CRLF. All other characters, such as U+2028, are text. */
const LINE_END = /\r\n|\r|\n/;

/** The lines of a text, without their ends. */
export function splitLines(text: string): string[] {
  return text.split(text.includes('\r') ? LINE_END : '\n');
}

/** The number of line ends between two positions of a text. */
export function countLineEnds(text: string, from = 0, to = text.length): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++;
  for (let at = text.indexOf('\r', from); at >= 0 && at < to; at = text.indexOf('\r', at + 1))
    if (text.charCodeAt(at + 1) !== 0x0a) count++;
  return count;
}

/**
 * The position after the last complete line of a text, 0 without one. A final CR may be the first half of CRLF, so it
 * does not complete a line.
 */
export function findLinesEnd(text: string): number {
  return Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r', text.length - 2)) + 1;
}
