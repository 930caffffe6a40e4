import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { clientAddress } from '../../platform/http/client-address.js';
import type { Identity } from '../../platform/security/principal.js';
import { AccessDeniedError } from '../../../packages/errors/src/domain-error.js';
import { InsufficientRoleError, InsufficientScopeError } from '../../platform/security/security.errors.js';
import { findNamedWorkspace } from '../../platform/security/workspace-access.js';
import { AuditService } from '../audit/audit.service.js';
import type { AuditedCaller, AuditedEvent, AuditKind } from '../audit/audit-log.js';
import { ApiKeyAuthenticator } from './api-key-authenticator.js';
import { InvalidApiKeyError, NotOwnApiKeyError, RejectedSubjectError } from './auth.errors.js';

/** Like the use of an API key, a rejection is recorded once per minute: callers in a loop do not fill the log. */
const INTERVAL_MS = 60_000;
const MAX_REJECTIONS = 10_000;

/** Records rejections of protected requests in the audit log, each once per minute. */
@Injectable()
export class AccessAudit {
  private readonly recorded = new LRUCache<string, true>({ max: MAX_REJECTIONS, ttl: INTERVAL_MS });

  constructor(
    private readonly audit: AuditService,
    private readonly apiKeys: ApiKeyAuthenticator,
  ) {}

  /**
   * Records an error only if it rejects an API key, the subject of an issuer, or credentials that lack a scope, a role
   * or a permission.
   *
   * @param caller undefined if the credentials were rejected.
   */
  async record(error: unknown, request: Request, caller: Identity | undefined): Promise<void> {
    if (error instanceof InvalidApiKeyError) await this.recordKey(error, request);
    else if (error instanceof RejectedSubjectError) await this.recordSubject(error);
    else if (error instanceof AccessDeniedError && caller) {
      const { userId, clientId, sessionId, apiKeyId } = caller;
      const workspaceId = findWorkspace(error, request, caller);
      const credential = { userId, clientId, sessionId, apiKeyId };
      const event = { kind: kindOf(error), workspaceId, ...credential, reason: error.message };
      await this.recordOnce(`${sessionId ?? apiKeyId ?? userId} ${workspaceId} ${error.denied}`, event, caller);
    }
  }

  /** A key that has ended is an entry of its workspace. */
  private async recordKey({ message, detail }: InvalidApiKeyError, request: Request): Promise<void> {
    const { 'x-api-key': apiKey } = request.headers;
    const stored = typeof apiKey === 'string' ? await this.apiKeys.findRejected(apiKey) : undefined;
    const { workspaceId, caller } = stored ?? {};
    const { userId, apiKeyId } = caller ?? {};
    const event = { kind: 'refused', userId, workspaceId, apiKeyId, reason: `${message}: ${detail}` } as const;
    await this.recordOnce(`${clientAddress(request)} ${apiKeyId}`, event, caller);
  }

  private async recordSubject({ detail, rejected }: RejectedSubjectError): Promise<void> {
    const { userId, ...details } = rejected;
    const event = { kind: 'refused', userId, reason: detail, details } as const;
    await this.recordOnce(`${details.issuer} ${details.subject} ${userId}`, event, undefined);
  }

  private async recordOnce(key: string, event: AuditedEvent, caller: AuditedCaller | undefined): Promise<void> {
    if (this.recorded.has(key)) return;
    this.recorded.set(key, true);
    await this.audit.record(event, caller);
  }
}

function kindOf(error: AccessDeniedError): AuditKind {
  if (error instanceof InsufficientScopeError) return 'scope_rejected';
  const isOfRole = error instanceof InsufficientRoleError || error instanceof NotOwnApiKeyError;
  return isOfRole ? 'role_rejected' : 'policy_rejected';
}

/** The workspace of a rejected request. Undefined if it may concern several, or one that is not the caller's. */
function findWorkspace(error: AccessDeniedError, request: Request, { memberships }: Identity): string | undefined {
  const named = findNamedWorkspace(request) ?? error.workspaceId;
  if (named === undefined) return memberships.length === 1 ? memberships[0]!.workspaceId : undefined;
  return memberships.find(({ workspaceId }) => workspaceId === named)?.workspaceId;
}
