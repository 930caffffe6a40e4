import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { catchError, type Observable } from 'rxjs';
import { DomainError } from '../../platform/http/domain-error.js';
import { AuditService } from '../audit/audit.service.js';
import { RefreshTokenReusedError } from '../sessions/sessions.errors.js';
import { claimedClientId } from './client-credentials.js';
import { Tokens } from './tokens.js';

/**
 * Leaves a line in the audit log where credentials are refused. Outside of the handler, whose transaction is over by
 * then: it must not take the evidence back.
 */
@Injectable()
export class RejectionLog implements NestInterceptor {
  constructor(
    private readonly audit: AuditService,
    private readonly tokens: Tokens,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        if (isRefusal(error)) await this.record(error, request);
        throw error;
      }),
    );
  }

  private async record(error: DomainError, request: Request): Promise<void> {
    const body = (request.body ?? {}) as Record<string, unknown>;
    const reason = error.detail ? `${error.message}: ${error.detail}` : error.message;
    const session =
      typeof body['refresh_token'] === 'string' ? await this.tokens.findSession(body['refresh_token']) : {};
    const clientId = claimedClientId(request.headers.authorization, body['client_id']);
    await this.audit.record({ kind: 'refused', clientId, reason, ...session });
  }
}

/** Reuse has a line of its own, from the transaction that revokes. */
function isRefusal(error: unknown): error is DomainError {
  if (!(error instanceof DomainError) || error instanceof RefreshTokenReusedError) return false;
  return error.kind === 'unauthenticated' || error.kind === 'forbidden';
}
