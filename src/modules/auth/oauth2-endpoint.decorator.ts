import {
  applyDecorators,
  type CanActivate,
  Catch,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { ApiConsumes, ApiSecurity } from '@nestjs/swagger';
import type { ClassConstructor } from 'class-transformer';
import type { Request, Response } from 'express';
import { AcceptsForms, BodyLimit, ReadsOwnBody, isForm } from '../../platform/body/body.decorators.js';
import { ApiErrorsAlsoAs } from '../../platform/http/error.dto.js';
import { ErrorFilter, type Failure } from '../../platform/http/error.filter.js';
import { NoIdempotencyKey } from '../../platform/http/idempotency/no-idempotency-key.decorator.js';
import { IgnoresQuery } from '../../platform/http/unknown-query.guard.js';
import { validateDto } from '../../platform/http/validation/validation.pipe.js';
import { BASIC_SCHEME, Public } from '../../platform/security/require-scope.decorator.js';
import { RateLimit } from '../../platform/throttling/rate-limit.decorator.js';
import { OAuth2ErrorDto } from './dto/oauth2-error.dto.js';
import { InvalidTokenRequestError } from './auth.errors.js';
import { RejectionAudit } from './rejection-audit.guard.js';
import { TokenFailureGuard } from './token-failure.guard.js';
import { TokenRateLimitGuard } from './token-rate-limit.guard.js';

/**
 * An endpoint of OAuth 2.0 with two representations. JSON uses the envelope (specification, section 1) and the error
 * body of the service. A form uses the bare bodies of RFC 6749, so that standard OAuth 2.0 clients work unchanged.
 *
 * The order below is the order of execution:
 *
 * 1. The body is read, and an address with too many failures is rejected, before credentials are verified.
 * 2. With `countAttempts`, the attempt is counted and rejected above the limit.
 * 3. The handler runs. If it rejects the credentials, the failure is counted, then recorded in the audit log.
 * 4. The result or the error is written in the representation of the request.
 */
export function OAuth2Endpoint({ countAttempts }: { countAttempts: boolean }): MethodDecorator {
  return applyDecorators(
    Public(),
    ApiSecurity({}),
    ApiSecurity(BASIC_SCHEME),
    NoIdempotencyKey(),
    IgnoresQuery(),
    AcceptsForms(),
    BodyLimit('credentials'),
    ApiConsumes('application/json', 'application/x-www-form-urlencoded'),
    UseGuards(FormRepresentation),
    ...(countAttempts ? [ReadsOwnBody(), RateLimit('token', TokenRateLimitGuard)] : [UseGuards(TokenFailureGuard)]),
    UseGuards(RejectionAudit),
    ApiErrorsAlsoAs(OAuth2ErrorDto),
    UseFilters(OAuth2ErrorFilter),
  );
}

/** The DTO of an endpoint, and the parameters of it that are read from a form. */
export interface OAuth2Request<T extends object> {
  type: ClassConstructor<T>;
  parameters: readonly (keyof T & string)[];
}

/**
 * The validated parameters of an OAuth 2.0 request, from a JSON body or from a form.
 *
 * A form follows RFC 6749 (section 3.2): a parameter without a value counts as omitted, an unknown one is ignored, a
 * repeated one is an error, and scopes are separated by spaces. JSON is validated as on every route.
 *
 * @throws {InvalidRequestError | InvalidTokenRequestError}
 */
export const OAuth2Parameters = createParamDecorator(
  <T extends object>({ type, parameters }: OAuth2Request<T>, context: ExecutionContext): Promise<T> => {
    const request = context.switchToHttp().getRequest<Request>();
    const body = (request.body ?? {}) as Record<string, unknown>;
    return validateDto(type, isForm(request) ? readForm(body, parameters) : body);
  },
);

function readForm(body: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const parameters: Record<string, unknown> = {};
  for (const name of names) {
    const value = body[name];
    if (value === undefined || value === '') continue;
    if (typeof value !== 'string') throw new InvalidTokenRequestError(`${name} is repeated. Send it once.`);
    parameters[name] = name === 'scope' ? value.split(' ').filter(Boolean) : value;
  }
  return parameters;
}

/**
 * Removes the envelope from the response to a form. A result without data becomes an empty object: clients ignore the
 * body of a revocation (RFC 7009, section 2.2), but some require it to be JSON (simple-oauth2).
 */
@Injectable()
class FormRepresentation implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    request.isBare = isForm(request);
    return true;
  }
}

const OAUTH2_ERRORS = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
  'too_many_requests',
]);

/** RFC 6749 (section 5.2) defines no codes for these at the token endpoint; they are those of section 4.1.2.1. */
const SERVER_ERRORS: Record<number, string> = { 500: 'server_error', 503: 'temporarily_unavailable' };

/** Characters that RFC 6749 (section 5.2) excludes from `error_description`: quotes, backslashes and non-ASCII ones. */
const EXCLUDED_CHARACTERS = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g;

@Catch()
class OAuth2ErrorFilter extends ErrorFilter {
  protected override send(failure: Failure, request: Request, response: Response): void {
    // A client that authenticated by header gets a challenge (RFC 6749, section 5.2).
    if (failure.error === 'invalid_client' && request.headers.authorization !== undefined) {
      response.set('WWW-Authenticate', 'Basic realm="Atrium", charset="UTF-8"');
    }
    if (!isForm(request)) return super.send(failure, request, response);
    const { status, error, message } = failure;
    response.status(toFormStatus(failure)).json({
      error: SERVER_ERRORS[status] ?? (OAUTH2_ERRORS.has(error) ? error : 'invalid_request'),
      error_description: message.replaceAll('"', "'").replace(EXCLUDED_CHARACTERS, '?'),
    });
  }
}

/** RFC 6749 uses 400 for all rejections except that of the client; the specification distinguishes 401 and 403. */
function toFormStatus({ status, error }: Failure): number {
  return [401, 403].includes(status) && error !== 'invalid_client' ? 400 : status;
}
