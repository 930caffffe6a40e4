/** Controls of terminals (C0, DEL, C1), line separators, and controls of the direction of text. */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * A value for a terminal: each character that could control the terminal, or change the order of its text, is shown as
 * a dot.
 */
export function formatForTerminal(value: string): string {
  return value.replace(CONTROL_CHARACTERS, '·');
}

/** A text of several lines for a terminal. Only its line breaks remain. */
export function formatLinesForTerminal(text: string): string {
  return text.split('\n').map(formatForTerminal).join('\n');
}
