import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { clientAddress } from '../../platform/http/client-address.js';
import type { Principal } from '../../platform/security/principal.js';
import { InsufficientScopeError } from '../../platform/security/security.errors.js';
import { type AuditedEvent, AuditService } from '../audit/audit.service.js';
import { InvalidApiKeyError } from './auth.errors.js';

/** Like the use of an API key, a rejection is recorded once per minute: callers in a loop do not fill the log. */
const INTERVAL_MS = 60_000;
const MAX_REJECTIONS = 10_000;

/** Records rejections of protected requests in the audit log, each once per minute. */
@Injectable()
export class AccessAudit {
  private readonly recorded = new LRUCache<string, true>({ max: MAX_REJECTIONS, ttl: INTERVAL_MS });

  constructor(private readonly audit: AuditService) {}

  /**
   * Records an error only if it rejects an API key, or credentials that lack a scope.
   *
   * @param principal undefined if the credentials were rejected.
   */
  async record(error: unknown, request: Request, principal: Principal | undefined): Promise<void> {
    if (error instanceof InvalidApiKeyError) {
      const reason = `${error.message}: ${error.detail}`;
      await this.recordOnce(clientAddress(request), { kind: 'refused', reason });
    } else if (error instanceof InsufficientScopeError && principal) {
      const { userId, clientId, sessionId, apiKeyId } = principal;
      const event = { userId, clientId, sessionId, apiKeyId, reason: error.message };
      await this.recordOnce(`${sessionId ?? apiKeyId} ${error.message}`, { kind: 'scope_rejected', ...event });
    }
  }

  private async recordOnce(key: string, event: AuditedEvent): Promise<void> {
    if (this.recorded.has(key)) return;
    this.recorded.set(key, true);
    await this.audit.record(event);
  }
}
