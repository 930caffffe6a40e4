import type { Type } from '@nestjs/common';
import { SECURITY_ERRORS } from '../../../platform/security/security.errors.js';
import { EventType } from '../../events/event-type.decorator.js';
import { type AuditKind, resultOf } from '../audit-kinds.js';
import { AuditEntryDto } from './audit.dto.js';

/** The `data` of the events of the audit log. */
export class AuditEventDto {
  entry: AuditEntryDto;
}

/** The ID of users and API keys in samples. */
const EXAMPLE_ID = '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a';

const EXAMPLE_POLICY = { reason: 'Reports (7b1c)' };
const EXAMPLE_EXPORT = { table: { entity: 'asset', name: 'Example Assets' }, format: 'csv', bytes: 4096 };

/** By kind, a summary and fields of `details` that are typical of it. */
const DESCRIPTIONS: [kind: AuditKind, summary: string, details: object][] = [
  [
    'refused',
    'An API key of the workspace that has ended was rejected.',
    { reason: SECURITY_ERRORS.invalid_api_key.message },
  ],
  [
    'scope_rejected',
    'A request without the needed scope was rejected.',
    { reason: SECURITY_ERRORS.insufficient_scope.message },
  ],
  [
    'role_rejected',
    'A request without the needed role was rejected.',
    { reason: SECURITY_ERRORS.insufficient_role.message },
  ],
  [
    'policy_rejected',
    'A request that access policies do not permit was rejected.',
    { reason: SECURITY_ERRORS.policy_denied.message },
  ],
  ['member_changed', 'A membership was changed, such as its role.', { userId: EXAMPLE_ID, reason: 'role: editor' }],
  ['api_key_created', 'An API key was created.', { apiKeyId: EXAMPLE_ID, reason: 'Reports: read:tours' }],
  ['api_key_rotated', 'An API key received a new secret.', { apiKeyId: EXAMPLE_ID, overlapS: 3600 }],
  ['api_key_revoked', 'An API key was revoked.', { apiKeyId: EXAMPLE_ID }],
  ['access_policy_created', 'An access policy was created.', EXAMPLE_POLICY],
  ['access_policy_changed', 'An access policy was changed.', EXAMPLE_POLICY],
  ['access_policy_deleted', 'An access policy was deleted.', EXAMPLE_POLICY],
  ['access_policy_assigned', 'An access policy was assigned or withdrawn.', { reason: 'client 7b1c, policyId: none' }],
  ['export_completed', 'All rows of an export were sent.', EXAMPLE_EXPORT],
  ['export_aborted', 'An export ended before all rows were sent.', EXAMPLE_EXPORT],
];

/**
 * The types of the entries that are also events. Loads, dropped tables and joining members have events of their own;
 * the use of credentials is frequent and only in the log (ADR 0181).
 */
export const AUDIT_EVENT_TYPES: ReadonlyMap<AuditKind, Type<object>> = new Map(
  DESCRIPTIONS.map(([kind, summary, details]) => {
    const dto = class extends AuditEventDto {};
    Object.defineProperty(dto, 'name', { value: `AuditEvent_${kind}_Dto` });
    const result = resultOf(kind);
    const sample = { entry: result === 'succeeded' ? { kind, details } : { kind, result, details } };
    EventType(`audit.${kind}`, summary, 'read:workspaces', { role: 'owner', sample })(dto);
    return [kind, dto];
  }),
);
