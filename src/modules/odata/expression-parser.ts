import { EmbeddedActionsParser, type IToken, tokenMatcher } from 'chevrotain';
import {
  type ArithmeticName,
  type ComparisonName,
  type Expression,
  type LiteralType,
  MAX_EXPRESSION_DEPTH,
  MAX_EXPRESSION_LENGTH,
  type OrderTerm,
} from './expression.js';
import {
  AdditiveToken,
  And,
  At,
  Close,
  Colon,
  Comma,
  ComparisonToken,
  DirectionToken,
  DollarName,
  Identifier,
  In,
  LEXER,
  LiteralToken,
  Minus,
  MultiplicativeToken,
  Not,
  Open,
  Or,
  Slash,
  TOKENS,
} from './expression-tokens.js';
import { InvalidODataQueryError } from './odata.errors.js';

/**
 * The grammar of `$filter` and `$orderby`, with the precedence of operators of OData 4.01 (part 2, section 5.1.1.17).
 * It decides by the next tokens only, so that it reads each token once: the time grows with the length of the text.
 */
class ExpressionParser extends EmbeddedActionsParser {
  constructor() {
    super(TOKENS, { maxLookahead: 2, recoveryEnabled: false });
    this.performSelfAnalysis();
  }

  readonly filter = this.RULE('filter', (): Expression => this.SUBRULE(this.orExpression));

  readonly orderBy = this.RULE('orderBy', (): OrderTerm[] => {
    const terms: OrderTerm[] = [];
    this.AT_LEAST_ONE_SEP({
      SEP: Comma,
      DEF: () => {
        const expression = this.SUBRULE(this.orExpression);
        const direction = this.OPTION(() => this.CONSUME(DirectionToken));
        terms.push({ expression, descending: direction?.image === 'desc' });
      },
    });
    return terms;
  });

  private readonly orExpression = this.RULE('orExpression', (): Expression => {
    const terms = [this.SUBRULE(this.andExpression)];
    this.MANY(() => {
      this.CONSUME(Or);
      terms.push(this.SUBRULE2(this.andExpression));
    });
    return terms.length === 1 ? terms[0]! : { kind: 'or', terms };
  });

  private readonly andExpression = this.RULE('andExpression', (): Expression => {
    const terms = [this.SUBRULE(this.comparison)];
    this.MANY(() => {
      this.CONSUME(And);
      terms.push(this.SUBRULE2(this.comparison));
    });
    return terms.length === 1 ? terms[0]! : { kind: 'and', terms };
  });

  private readonly comparison = this.RULE('comparison', (): Expression => {
    let expression = this.SUBRULE(this.sum);
    this.MANY(() =>
      this.OR([
        {
          ALT: () => {
            const operator = this.CONSUME(ComparisonToken).image as ComparisonName;
            const right = this.SUBRULE2(this.sum);
            expression = { kind: 'compare', operator, left: expression, right };
          },
        },
        {
          ALT: () => {
            this.CONSUME(In);
            this.CONSUME(Open);
            expression = { kind: 'in', left: expression, values: this.SUBRULE(this.list) };
            this.CONSUME(Close);
          },
        },
      ]),
    );
    return expression;
  });

  private readonly sum = this.RULE('sum', (): Expression => {
    let expression = this.SUBRULE(this.product);
    this.MANY(() => {
      const operator = this.CONSUME(AdditiveToken).image as ArithmeticName;
      this.SUBRULE2(this.product);
      expression = { kind: 'arithmetic', operator };
    });
    return expression;
  });

  private readonly product = this.RULE('product', (): Expression => {
    let expression = this.SUBRULE(this.unary);
    this.MANY(() => {
      const operator = this.CONSUME(MultiplicativeToken).image as ArithmeticName;
      this.SUBRULE2(this.unary);
      expression = { kind: 'arithmetic', operator };
    });
    return expression;
  });

  private readonly unary = this.RULE('unary', (): Expression =>
    this.OR<Expression>([
      {
        ALT: () => {
          this.CONSUME(Not);
          return { kind: 'not', term: this.SUBRULE(this.unary) };
        },
      },
      {
        ALT: () => {
          this.CONSUME(Minus);
          this.SUBRULE2(this.unary);
          return { kind: 'arithmetic', operator: '-' };
        },
      },
      { ALT: () => this.SUBRULE(this.primary) },
    ]),
  );

  private readonly primary = this.RULE('primary', (): Expression =>
    this.OR<Expression>([
      { ALT: () => this.toLiteral(this.CONSUME(LiteralToken)) },
      {
        ALT: () => {
          this.CONSUME(Open);
          const expression = this.SUBRULE(this.orExpression);
          this.CONSUME(Close);
          return expression;
        },
      },
      {
        ALT: () => {
          this.CONSUME(At);
          return { kind: 'alias', name: this.CONSUME(Identifier).image };
        },
      },
      {
        ALT: () => ({ kind: 'path', names: [], rest: this.CONSUME(DollarName).image }),
      },
      { ALT: () => this.SUBRULE(this.pathOrCall) },
    ]),
  );

  private readonly pathOrCall = this.RULE('pathOrCall', (): Expression => {
    const names = [this.CONSUME(Identifier).image];
    let operands: Expression[] | undefined;
    let rest: string | undefined;
    this.OPTION(() => {
      this.CONSUME(Open);
      operands = this.OPTION2(() => this.SUBRULE(this.list)) ?? [];
      this.CONSUME(Close);
    });
    this.MANY(() => {
      this.CONSUME(Slash);
      this.OR([
        {
          ALT: () => {
            const name = this.CONSUME2(Identifier).image;
            const isCall = this.OPTION3(() => {
              this.CONSUME2(Open);
              this.OPTION4(() => {
                this.CONSUME3(Identifier);
                this.CONSUME(Colon);
                this.SUBRULE(this.orExpression);
              });
              this.CONSUME2(Close);
              return true;
            });
            if (isCall) rest ??= `${name}()`;
            else if (rest === undefined) names.push(name);
          },
        },
        {
          ALT: () => {
            const { image } = this.CONSUME(DollarName);
            rest ??= image;
          },
        },
      ]);
    });
    if (operands && names.length === 1 && rest === undefined) return { kind: 'call', name: names[0]!, operands };
    if (operands) return { kind: 'path', names, rest: `${names[0]}()` };
    return rest === undefined ? { kind: 'path', names } : { kind: 'path', names, rest };
  });

  private readonly list = this.RULE('list', (): Expression[] => {
    const values: Expression[] = [];
    this.AT_LEAST_ONE_SEP({ SEP: Comma, DEF: () => values.push(this.SUBRULE(this.orExpression)) });
    return values;
  });

  /** Not while the grammar is analyzed, without tokens. */
  private toLiteral(token: IToken): Expression {
    return this.ACTION(() => toLiteral(token));
  }
}

function toLiteral({ image, tokenType }: IToken): Expression {
  const type = tokenType.name as LiteralType;
  if (type === 'text') return { kind: 'literal', type, value: image.slice(1, -1).replaceAll("''", "'") };
  if (type === 'boolean') return { kind: 'literal', type, value: image === 'true' };
  return { kind: 'literal', type, value: type === 'null' ? null : image };
}

const PARSER = new ExpressionParser();

/** @throws {InvalidODataQueryError} */
export function parseFilterExpression(text: string): Expression {
  return parse('$filter', text, (parser) => parser.filter());
}

/** @throws {InvalidODataQueryError} */
export function parseOrderBy(text: string): OrderTerm[] {
  return parse('$orderby', text, (parser) => parser.orderBy());
}

function parse<T>(option: string, text: string, read: (parser: ExpressionParser) => T): T {
  if (text.length > MAX_EXPRESSION_LENGTH) {
    const message = `the expression has ${text.length} characters; at most ${MAX_EXPRESSION_LENGTH} are allowed. Use "in", or several requests.`;
    throw new InvalidODataQueryError(option, message);
  }
  const { tokens, errors } = LEXER.tokenize(text);
  const [unread] = errors;
  if (unread) {
    const near = text.slice(unread.offset, unread.offset + 20);
    throw new InvalidODataQueryError(option, `unexpected characters at position ${unread.offset}: ${near}`);
  }
  requireDepth(option, tokens);
  PARSER.input = tokens;
  const result = read(PARSER);
  const [error] = PARSER.errors;
  if (!error) return result;
  const { image, startOffset } = error.token;
  const position =
    Number.isNaN(startOffset) || image === '' ? 'the end' : `position ${startOffset}: ${image.slice(0, 40)}`;
  throw new InvalidODataQueryError(
    option,
    `the expression is not valid at ${position}. Check operators, quotes and parentheses.`,
  );
}

/** The parser calls itself for each level. @throws {InvalidODataQueryError} */
function requireDepth(option: string, tokens: readonly IToken[]): void {
  let depth = 0;
  let deepest = 0;
  let prefixes = 0;
  for (const token of tokens) {
    if (tokenMatcher(token, Open)) depth++;
    else if (tokenMatcher(token, Close)) depth--;
    if (tokenMatcher(token, Not) || tokenMatcher(token, Minus)) prefixes++;
    deepest = Math.max(deepest, depth);
  }
  if (deepest <= MAX_EXPRESSION_DEPTH && prefixes <= MAX_EXPRESSION_DEPTH) return;
  const message = `the expression has more than ${MAX_EXPRESSION_DEPTH} nested parentheses or negations. Combine fewer levels.`;
  throw new InvalidODataQueryError(option, message);
}
