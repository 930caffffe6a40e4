import { type IncomingMessage, STATUS_CODES } from 'node:http';

export const PROBLEM_TYPE = 'application/problem+json';

/** A media range of `Accept` for problem details, which a weight of zero excludes. */
const PROBLEM_RANGE = /(?:^|,)\s*application\/problem\+json\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))[^,]*)?(?:,|$)/i;

/** The fields of an error response. */
interface ErrorBody {
  status: number;
  message: string;
  error: string;
}

/** Does the caller name the media type of RFC 9457? Ranges such as `*`/`*` receive the usual errors. */
export function acceptsProblems({ headers }: IncomingMessage): boolean {
  return PROBLEM_RANGE.test(headers.accept ?? '');
}

/** An error as RFC 9457 describes it. Its other fields are those of the usual errors. @param help address of the guide to the error. */
export function toProblem({ message, ...error }: ErrorBody, help: string): object {
  return { type: help, title: STATUS_CODES[error.status], detail: message, ...error };
}
