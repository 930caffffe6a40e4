import {
  applyDecorators,
  type CallHandler,
  Catch,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseFilters,
  UseInterceptors,
} from '@nestjs/common';
import { ApiConsumes } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { Reply } from '../../platform/http/envelope.js';
import { ErrorFilter, type Failure } from '../../platform/http/error.filter.js';
import { BodyLimit, isForm, AcceptsForms } from '../../platform/body/body.decorators.js';
import { RejectionLog } from './rejection-log.js';

/**
 * The two faces of an OAuth 2.0 endpoint. JSON is answered in the envelope of the specification (section 1), and refused
 * in the service's one shape of error. A form is answered as RFC 6749 has it, bare, so that any client of OAuth 2.0
 * works as it is.
 */
export function TwoFaces(): MethodDecorator {
  return applyDecorators(
    AcceptsForms(),
    BodyLimit('credentials'),
    ApiConsumes('application/json', 'application/x-www-form-urlencoded'),
    UseInterceptors(FormFace, RejectionLog),
    UseFilters(OAuth2ErrorFilter),
  );
}

/**
 * Takes the envelope from what a form is answered. What has no data is an empty object: clients ignore what a revocation
 * is answered (RFC 7009, section 2.2), but some refuse to read what is not JSON (simple-oauth2).
 */
@Injectable()
class FormFace implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (!isForm(context.switchToHttp().getRequest<Request>())) return next.handle();
    return next.handle().pipe(map((result: unknown) => new Reply(result ?? {}, { bare: true })));
  }
}

/** What RFC 6749 (section 5.2) knows for what it has no word for. */
const RFC_6749_ERROR: Record<number, string> = { 500: 'server_error', 503: 'temporarily_unavailable' };

/** What stands in `error_description` by RFC 6749 (section 5.2): printable ASCII without quotes and backslashes. */
const INDESCRIBABLE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g;

@Catch()
class OAuth2ErrorFilter extends ErrorFilter {
  protected override send(failure: Failure, request: Request, response: Response): void {
    // Whoever came by Basic is told that Basic it must be (RFC 6749, section 5.2).
    if (failure.error === 'invalid_client' && request.headers.authorization !== undefined) {
      response.set('WWW-Authenticate', 'Basic realm="Atrium", charset="UTF-8"');
    }
    if (!isForm(request)) return super.send(failure, request, response);
    const { status, error, message } = failure;
    response.status(formStatus(failure)).json({
      error: RFC_6749_ERROR[status] ?? (OAUTH2_ERRORS.has(error) ? error : 'invalid_request'),
      error_description: message.replaceAll('"', "'").replace(INDESCRIBABLE, '?'),
    });
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

/** RFC 6749 refuses with 400 all but the client itself; the specification tells 401 and 403 apart. */
function formStatus({ status, error }: Failure): number {
  return [401, 403].includes(status) && error !== 'invalid_client' ? 400 : status;
}
