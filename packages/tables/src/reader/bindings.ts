import { quoteLiteral, toArrayText } from '../../../sql/src/sql-literal.js';

/** A value in a condition. */
export type BoundValue = string | number | boolean | readonly (string | number | boolean)[];

/** Adds values to a statement. */
export interface Bindings {
  /** @returns the SQL expression of the value. */
  bind(value: BoundValue): string;
}

/** A condition whose values are bound when its statement is compiled. */
export type Condition = (bindings: Bindings) => string;

/** Values as parameters: `$1`, `$2`, … */
export class Parameters implements Bindings {
  readonly values: unknown[] = [];

  bind(value: BoundValue): string {
    return `$${this.values.push(value)}`;
  }
}

/** Values as quoted literals, for `COPY`, which accepts no parameters. */
export class Literals implements Bindings {
  bind(value: BoundValue): string {
    if (typeof value === 'string') return quoteLiteral(value);
    if (typeof value === 'object') return quoteLiteral(toArrayText(value));
    return quoteLiteral(String(value));
  }
}
