import type { Type } from '@nestjs/common';
import { EventType } from '../../events/event-type.decorator.js';
import { type AuditKind, resultOf } from '../audit-kinds.js';
import { AuditEntryDto } from './audit.dto.js';

/** The `data` of the events of the audit log. */
export class AuditEventDto {
  entry: AuditEntryDto;
}

/**
 * The types of the entries that are also events. Loads, dropped tables and joining members have events of their own;
 * the use of credentials is frequent and only in the log (ADR 0182).
 */
export const AUDIT_EVENT_TYPES = new Map<AuditKind, Type<object>>();

const AuditEvent = (kind: AuditKind, summary: string) => (dto: Type<object>) => {
  const result = resultOf(kind);
  const sample = { entry: result === 'succeeded' ? { kind } : { kind, result } };
  EventType(`audit.${kind}`, summary, 'read:workspaces', { role: 'owner', sample })(dto);
  AUDIT_EVENT_TYPES.set(kind, dto);
};

@AuditEvent('refused', 'An API key of the workspace that has ended was rejected.')
export class CredentialRejectedDto extends AuditEventDto {}

@AuditEvent('scope_rejected', 'A request without the needed scope was rejected.')
export class ScopeRejectedDto extends AuditEventDto {}

@AuditEvent('role_rejected', 'A request without the needed role was rejected.')
export class RoleRejectedDto extends AuditEventDto {}

@AuditEvent('policy_rejected', 'A request that access policies do not permit was rejected.')
export class PolicyRejectedDto extends AuditEventDto {}

@AuditEvent('member_changed', 'A membership was changed, such as its role.')
export class MemberChangedDto extends AuditEventDto {}

@AuditEvent('api_key_created', 'An API key was created.')
export class ApiKeyCreatedDto extends AuditEventDto {}

@AuditEvent('api_key_rotated', 'An API key received a new secret.')
export class ApiKeyRotatedDto extends AuditEventDto {}

@AuditEvent('api_key_revoked', 'An API key was revoked.')
export class ApiKeyRevokedDto extends AuditEventDto {}

@AuditEvent('access_policy_created', 'An access policy was created.')
export class AccessPolicyCreatedDto extends AuditEventDto {}

@AuditEvent('access_policy_changed', 'An access policy was changed.')
export class AccessPolicyChangedDto extends AuditEventDto {}

@AuditEvent('access_policy_deleted', 'An access policy was deleted.')
export class AccessPolicyDeletedDto extends AuditEventDto {}

@AuditEvent('access_policy_assigned', 'An access policy was assigned or withdrawn.')
export class AccessPolicyAssignedDto extends AuditEventDto {}

@AuditEvent('export_completed', 'All rows of an export were sent.')
export class ExportCompletedDto extends AuditEventDto {}

@AuditEvent('export_aborted', 'An export ended before all rows were sent.')
export class ExportAbortedDto extends AuditEventDto {}
