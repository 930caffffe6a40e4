import { quoteLiteral } from '../../../platform/database/sql-literal.js';

/** A value that a statement compares with. */
export type BoundValue = string | number | boolean | readonly (string | number | boolean)[];

/** Where the values of a statement go. */
export interface Bindings {
  /** @returns what stands for the value in the statement. */
  bind(value: BoundValue): string;
}

/** Values as parameters: `$1`, `$2`, … */
export class Parameters implements Bindings {
  readonly values: unknown[] = [];

  bind(value: BoundValue): string {
    return `$${this.values.push(value)}`;
  }
}

/** Values in the statement itself, quoted: `COPY` takes no parameters. */
export class Literals implements Bindings {
  bind(value: BoundValue): string {
    if (typeof value === 'string') return quoteLiteral(value);
    if (typeof value === 'object') return quoteLiteral(arrayOf(value));
    return quoteLiteral(String(value));
  }
}

/** An array in PostgreSQL's text format: each element in quotes, so that none is taken for NULL. */
function arrayOf(values: readonly (string | number | boolean)[]): string {
  const quoted = values.map((value) => `"${String(value).replace(/(["\\])/g, '\\$1')}"`);
  return `{${quoted.join(',')}}`;
}
