import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { onFailure } from '../../platform/http/handler-hooks.js';
import { AuditService } from '../audit/audit.service.js';
import { RefreshTokenReusedError } from '../sessions/sessions.errors.js';
import { ClientAuthenticator } from './client-authenticator.js';
import { readClientId } from './client-credentials.js';
import { TokenCodec, type TokenSession } from './token-codec.js';
import { refreshTokens } from './token-rate-limit.guard.js';

/**
 * Records rejected credentials in the audit log. It runs outside the handler, after its transaction, so that a rollback
 * does not remove the record.
 */
@Injectable()
export class RejectionAudit implements CanActivate {
  constructor(
    private readonly audit: AuditService,
    private readonly tokens: TokenCodec,
    private readonly clients: ClientAuthenticator,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    onFailure(request, async (error) => {
      if (isRejection(error)) await this.record(error, request);
    });
    return true;
  }

  private async record(error: DomainError, request: Request): Promise<void> {
    const reason = error.detail ? `${error.message}: ${error.detail}` : error.message;
    const { client_id: bodyClientId } = (request.body ?? {}) as { client_id?: unknown };
    const clientId = readClientId(request.headers.authorization, bodyClientId);
    const session = await this.findSession(request);
    const userId = session?.userId ?? (clientId && (await this.clients.findUserId(clientId)));
    const { sessionId, clientId: sessionClientId = clientId } = session ?? {};
    await this.audit.record({ kind: 'refused', userId, sessionId, clientId: sessionClientId, reason });
  }

  private async findSession(request: Request): Promise<TokenSession | undefined> {
    const refresh = refreshTokens.get(request)?.claims;
    if (refresh) return refresh;
    // A common mistake is to send the access token.
    const { refresh_token: token } = (request.body ?? {}) as { refresh_token?: unknown };
    return typeof token === 'string' ? this.tokens.findSession(token, ['access']) : undefined;
  }
}

/** Reuse is recorded by the transaction that revokes the sessions. */
function isRejection(error: unknown): error is DomainError {
  if (!(error instanceof DomainError) || error instanceof RefreshTokenReusedError) return false;
  return error.kind === 'unauthenticated' || error.kind === 'forbidden';
}
