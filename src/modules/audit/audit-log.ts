import type { Identity } from '../../platform/security/principal.js';
import { isEqual } from '../../../packages/sql/src/stored-json.js';
import type { AuditKind } from './audit-kinds.js';
import type { AuthEvent } from './auth-event.entity.js';

export type { AuditKind };

/** Who calls, as far as it is known before the access guard has accepted the request. */
export type AuditedCaller = Pick<Identity, 'userId' | 'clientId' | 'apiKeyId' | 'apiKeyLabel'>;

/** An event to record. It never contains a secret or a token, so that a reader of the log cannot sign in with it. */
export type AuditedEvent = { kind: AuditKind } & Partial<
  Pick<AuthEvent, 'userId' | 'workspaceId' | 'clientId' | 'sessionId' | 'apiKeyId' | 'reason' | 'counts' | 'details'>
>;

/** One changed attribute in the `details` of an event. */
export interface Change {
  attribute: string;
  /** The former value; null if there was none. */
  from: unknown;
  /** The new value; null if there is none. */
  to: unknown;
}

/** Records entries of the audit log. `AuditService` implements it. */
export abstract class AuditLog {
  /**
   * Records an event in the open transaction, if there is one. A rejection must be recorded after its transaction.
   *
   * @param caller by default that of the current request.
   */
  abstract record(event: AuditedEvent, caller?: AuditedCaller): Promise<void>;

  /**
   * Records a frequent event: one entry per minute for events of the same kind, caller and key, whose `counts` grow.
   * Each instance has entries of its own.
   *
   * @param key of what the event is about, such as a table.
   * @param counts added to those of the entry, with the number of `times`.
   */
  abstract recordFrequent(event: AuditedEvent, key: string, counts: Record<string, number>): Promise<void>;
}

/** The attributes that differ, in the order of their names in both objects. */
export function listChanges(before: object, after: object): Change[] {
  const [former, current] = [new Map<string, unknown>(Object.entries(before)), new Map(Object.entries(after))];
  const attributes = [...new Set([...former.keys(), ...current.keys()])];
  return attributes.flatMap((attribute) => {
    const [from, to] = [former.get(attribute) ?? null, (current.get(attribute) as unknown) ?? null];
    return isEqual(from, to) ? [] : [{ attribute, from, to }];
  });
}
