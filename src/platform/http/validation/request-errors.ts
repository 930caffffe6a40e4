import { setImmediate } from 'node:timers/promises';
import type { Paramtype } from '@nestjs/common';
import { InvalidRequestError } from '../../../../packages/errors/src/domain-error.js';
import { findCurrentRequest } from '../middleware.js';

/** The validation of a parameter of a handler. */
export interface Validation {
  type: Paramtype;
  outcome: Promise<unknown>;
}

/**
 * Adds the errors of the other parameters of the handler, such as its query and its body. Nest validates all parameters
 * at the same time, and reports the error of the one that fails first.
 *
 * @returns the value of the validation.
 * @throws {InvalidRequestError} with the errors of all parameters
 */
export async function validateWithOthers<T>(type: Paramtype, outcome: Promise<T>): Promise<T> {
  const request = findCurrentRequest();
  if (!request) return outcome;
  const validations = (request.validations ??= []);
  // Nest starts the pipes of the last parameter first.
  validations.unshift({ type, outcome });
  try {
    return await outcome;
  } catch (error) {
    // By then all pipes have started, also those that follow the global one, such as that of an ID in the path.
    await setImmediate();
    throw error instanceof InvalidRequestError ? await mergeErrors(error, validations) : error;
  }
}

/** The order of the errors. */
const PARAMETER_TYPES: readonly Paramtype[] = ['param', 'query', 'body'];

async function mergeErrors(own: InvalidRequestError, validations: readonly Validation[]): Promise<InvalidRequestError> {
  const ordered = PARAMETER_TYPES.flatMap((type) => validations.filter((validation) => validation.type === type));
  const outcomes = await Promise.allSettled(ordered.map(({ outcome }) => outcome));
  const reasons = outcomes.map((outcome): unknown => outcome.status === 'rejected' && outcome.reason);
  const invalid = reasons.filter((reason) => reason instanceof InvalidRequestError);
  if (invalid.length < 2) return own;
  const errors = invalid.flatMap(({ details }) => details?.errors ?? []);
  const total = invalid.reduce((sum, { details }) => sum + (details?.total ?? 0), 0);
  return new InvalidRequestError(errors, undefined, total);
}
