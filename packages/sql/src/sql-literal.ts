import { escapeLiteral } from 'pg';

/** Quotes a text for statements that accept no parameters, such as COPY. */
export function quoteLiteral(text: string): string {
  return escapeLiteral(text);
}

/** A pattern of LIKE that matches texts containing this text literally. */
export function toLikePattern(text: string): string {
  return `%${toLikeLiteral(text)}%`;
}

/** A part of a pattern of LIKE that matches the text literally. */
export function toLikeLiteral(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
