import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Principal } from '../../platform/security/principal.js';
import { InsufficientScopeError } from '../../platform/security/security.errors.js';
import { AuditService } from '../audit/audit.service.js';

/** Like the use of an API key, a rejection is recorded once per minute: callers in a loop do not fill the log. */
const INTERVAL_MS = 60_000;
const MAX_REJECTIONS = 10_000;

/** Records in the audit log that valid credentials lack a scope: once per minute, credential and scope. */
@Injectable()
export class ScopeAudit {
  private readonly recorded = new LRUCache<string, true>({ max: MAX_REJECTIONS, ttl: INTERVAL_MS });

  constructor(private readonly audit: AuditService) {}

  /** Records only `InsufficientScopeError`. */
  async record({ userId, clientId, sessionId, apiKeyId }: Principal, error: unknown): Promise<void> {
    if (!(error instanceof InsufficientScopeError)) return;
    const key = `${sessionId ?? apiKeyId} ${error.message}`;
    if (this.recorded.has(key)) return;
    this.recorded.set(key, true);
    await this.audit.record({ kind: 'scope_rejected', userId, clientId, sessionId, apiKeyId, reason: error.message });
  }
}
