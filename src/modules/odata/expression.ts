/** Expressions of OData as they are written, before their names and types are checked. */

/** Maximum number of characters of an expression, and of parentheses that contain each other. */
export const MAX_EXPRESSION_LENGTH = 100_000;
export const MAX_EXPRESSION_DEPTH = 50;

export type ComparisonName = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le' | 'has';
export type ArithmeticName = 'add' | 'sub' | 'mul' | 'div' | 'divby' | 'mod';
export type LiteralType = 'text' | 'number' | 'date' | 'dateTime' | 'time' | 'guid' | 'boolean' | 'null' | 'other';

export interface Literal {
  kind: 'literal';
  type: LiteralType;
  /** A text without its quotes, a boolean, null, or the other literals as they are written. */
  value: string | boolean | null;
}

/** Names separated by slashes; one with parentheses is a call, such as `any` of a lambda expression. */
export interface Path {
  kind: 'path';
  names: readonly string[];
  /** What follows the names and is not supported, such as `any()` or `$count`. */
  rest?: string;
}

export type Expression =
  | Literal
  | Path
  | { kind: 'call'; name: string; operands: readonly Expression[] }
  | { kind: 'and' | 'or'; terms: readonly Expression[] }
  | { kind: 'not'; term: Expression }
  | { kind: 'compare'; operator: ComparisonName; left: Expression; right: Expression }
  | { kind: 'in'; left: Expression; values: readonly Expression[] }
  | { kind: 'arithmetic'; operator: ArithmeticName | '-' }
  | { kind: 'alias'; name: string };

export interface OrderTerm {
  expression: Expression;
  descending: boolean;
}
