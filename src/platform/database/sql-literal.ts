import { escapeLiteral } from 'pg';

/** A text as a statement writes it, for the few that take no parameters, such as COPY. */
export function literalOf(text: string): string {
  return escapeLiteral(text);
}

/** A pattern of LIKE that matches texts containing this text literally. */
export function toLikePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
