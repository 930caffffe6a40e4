import { STATUS_CODES } from 'node:http';
import type { Request } from 'express';

export const PROBLEM_TYPE = 'application/problem+json';

/** The fields of an error response. */
interface ErrorBody {
  status: number;
  message: string;
  error: string;
}

/** Does the caller name the media type of RFC 9457? Ranges such as `*`/`*` receive the usual errors. */
export function acceptsProblems(request: Request): boolean {
  return request.accepts().some((type) => type.toLowerCase() === PROBLEM_TYPE);
}

/**
 * An error as RFC 9457 describes it. Its other fields are those of the usual errors.
 *
 * @param help address of the guide to the error.
 */
export function toProblem({ message, ...error }: ErrorBody, help: string): object {
  return { type: help, title: STATUS_CODES[error.status], detail: message, ...error };
}
