import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ClassConstructor } from 'class-transformer';
import type { Request } from 'express';
import { isForm } from '../../platform/body/body.decorators.js';
import { validateDto } from '../../platform/http/validation/validation.pipe.js';
import { InvalidTokenRequestError } from './auth.errors.js';

/** What one endpoint takes: the class that says what is valid, and the parameters that it reads of a form. */
export interface OAuth2Request<T extends object> {
  type: ClassConstructor<T>;
  parameters: readonly (keyof T & string)[];
}

/**
 * The parameters of an OAuth 2.0 request, from a JSON body or from a form, as one and the same object.
 *
 * A form follows RFC 6749 (section 3.2): a parameter without a value counts as left out, one that is not known is
 * ignored, none may stand there twice, and scopes are separated by spaces. JSON is taken at its word, as on every route.
 *
 * @throws {InvalidRequestError | InvalidTokenRequestError}
 */
export const OAuth2Parameters = createParamDecorator(
  <T extends object>({ type, parameters }: OAuth2Request<T>, context: ExecutionContext): T => {
    const request = context.switchToHttp().getRequest<Request>();
    const body = (request.body ?? {}) as Record<string, unknown>;
    return validateDto(type, isForm(request) ? formParameters(body, parameters) : body);
  },
);

function formParameters(body: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const parameters: Record<string, unknown> = {};
  for (const name of names) {
    const value = body[name];
    if (value === undefined || value === '') continue;
    if (typeof value !== 'string') throw new InvalidTokenRequestError(`${name} is given more than once.`);
    parameters[name] = name === 'scope' ? value.split(' ').filter(Boolean) : value;
  }
  return parameters;
}
