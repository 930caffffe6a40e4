import { createToken, Lexer, type TokenType } from 'chevrotain';

/** The tokens of OData expressions (OData 4.01, part 2, and its ABNF). */

export const Identifier = createToken({
  name: 'Identifier',
  pattern: /[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*(?:\.[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*)*/,
});

const keyword = (word: string, categories: TokenType[] = []) =>
  createToken({ name: word, pattern: new RegExp(word), longer_alt: Identifier, categories });

const category = (name: string) => createToken({ name, pattern: Lexer.NA });
const punctuation = (name: string, pattern: string) => createToken({ name, pattern });

export const LiteralToken = category('Literal');
export const ComparisonToken = category('Comparison');
export const AdditiveToken = category('Additive');
export const MultiplicativeToken = category('Multiplicative');
export const DirectionToken = category('Direction');

export const And = keyword('and');
export const Or = keyword('or');
export const Not = keyword('not');
export const In = keyword('in');

const literal = (name: string, pattern: RegExp) =>
  createToken({
    name,
    pattern,
    categories: [LiteralToken],
    line_breaks: name === 'text' || name === 'other',
    // A name such as `INFORMATION` is not the number `INF`.
    longer_alt: name === 'number' ? Identifier : undefined,
  });

/** Their names are the types of literals. */
const LITERALS = [
  literal('text', /'(?:[^']|'')*'/),
  // The name of a type has at most 128 characters.
  literal('other', /[A-Za-z][\w.]{0,200}'(?:[^']|'')*'/),
  literal('guid', /[\dA-Fa-f]{8}-[\dA-Fa-f]{4}-[\dA-Fa-f]{4}-[\dA-Fa-f]{4}-[\dA-Fa-f]{12}/),
  literal('dateTime', /-?\d{4,}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,12})?)?(?:Z|[-+]\d\d:\d\d)?/),
  literal('date', /-?\d{4,}-\d\d-\d\d/),
  literal('time', /\d\d:\d\d(?::\d\d(?:\.\d{1,12})?)?/),
  literal('number', /[-+]?(?:\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|INF)|NaN/),
];

const LITERAL_WORDS = [
  createToken({ name: 'boolean', pattern: /true|false/, longer_alt: Identifier, categories: [LiteralToken] }),
  keyword('null', [LiteralToken]),
];

export const Open = punctuation('Open', '(');
export const Close = punctuation('Close', ')');
export const Comma = punctuation('Comma', ',');
export const Slash = punctuation('Slash', '/');
export const Colon = punctuation('Colon', ':');
export const Minus = punctuation('Minus', '-');
export const At = punctuation('At', '@');
export const Star = punctuation('Star', '*');
export const DollarName = createToken({ name: 'DollarName', pattern: /\$[A-Za-z]+/ });

const WHITE_SPACE = createToken({ name: 'WhiteSpace', pattern: /\s+/, group: Lexer.SKIPPED, line_breaks: true });

export const TOKENS = [
  WHITE_SPACE,
  ...[LiteralToken, ComparisonToken, AdditiveToken, MultiplicativeToken, DirectionToken],
  ...LITERALS,
  ...LITERAL_WORDS,
  ...[And, Or, Not, In],
  ...['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'has'].map((word) => keyword(word, [ComparisonToken])),
  ...['add', 'sub'].map((word) => keyword(word, [AdditiveToken])),
  ...['mul', 'divby', 'div', 'mod'].map((word) => keyword(word, [MultiplicativeToken])),
  ...['asc', 'desc'].map((word) => keyword(word, [DirectionToken])),
  Identifier,
  ...[Open, Close, Comma, Slash, Colon, Minus, At, Star],
  DollarName,
];

/** Reads an expression once, up to its first error. A recovery would search the next token from each character. */
export const LEXER = new Lexer(TOKENS, {
  positionTracking: 'onlyOffset',
  ensureOptimizations: false,
  recoveryEnabled: false,
});
