/** Bytes of JSON texts. */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const DIGIT_0 = 0x30;
export const DIGIT_9 = 0x39;
export const COLON = 0x3a;
export const UPPER_E = 0x45;
export const LOWER_E = 0x65;
export const LOWER_U = 0x75;
export const BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const BRACKET_END = 0x5d;
export const BRACE = 0x7b;
export const BRACE_END = 0x7d;
export const LAST_ASCII = 0x7f;

/** A double can represent all digits of a number with fewer characters. */
export const LONG_NUMBER = 16;
