import { Injectable } from '@nestjs/common';
import { uuid } from '../../../packages/sql/src/uuid.js';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { type AcceptedVersions, requireVersion } from '../../platform/http/conditional-requests.js';
import type { PageQueryDto } from '../../platform/http/page.dto.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import type { Principal } from '../../platform/security/principal.js';
import { encrypt } from '../../platform/security/encryption.js';
import { getRowPage } from '../../records/row-pages.repository.js';
import { AuditService } from '../audit/audit.service.js';
import type { AuditedEvent } from '../audit/audit-log.js';
import { EventReaderService } from '../events/event-reader.service.js';
import { EventsRemovedError } from '../events/events.errors.js';
import type { SubscriptionKey } from './deliveries.repository.js';
import { DeliveryDispatcher } from './delivery-dispatcher.js';
import type { ChangeSubscriptionDto, CreateSubscriptionDto, SubscriptionDto } from './dto/subscriptions.dto.js';
import { ForbiddenAddressError, NetworkPolicy } from './network-policy.js';
import { Subscription } from './subscription.entity.js';
import { SubscriptionReferences } from './subscription-references.js';
import { MAX_SUBSCRIPTIONS, InvalidReceiverUrlError, SUBSCRIPTION_ERRORS } from './subscriptions.errors.js';
import { type ListedSubscription, SubscriptionsRepository } from './subscriptions.repository.js';
import { generateWebhookSecret } from './webhook-signature.js';
import { DomainError } from '../../../packages/errors/src/domain-error.js';

/** How long the previous secret signs, too, after a new one was issued. */
const PREVIOUS_SECRET_MS = 24 * 3_600_000;

const SELECT_SUBSCRIPTIONS = `
  SELECT id, workspace_id AS "workspaceId", url, events, description, status, disabled_reason AS "disabledReason",
         coalesce(owner_id, created_by) AS "ownerId", policy_id AS "policyId",
         excluded_actor_id AS "excludedActorId", watcher_id AS "watcherId", version,
         created_at AS "createdAt", created_by AS "createdBy", updated_at AS "updatedAt", updated_by AS "updatedBy"
    FROM subscriptions WHERE workspace_id = $1`;

/** Receivers of the events of a workspace. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly database: Database,
    private readonly repository: SubscriptionsRepository,
    private readonly dispatcher: DeliveryDispatcher,
    private readonly log: EventReaderService,
    private readonly audit: AuditService,
    private readonly references: SubscriptionReferences,
    private readonly config: Config,
  ) {}

  /**
   * Deliveries begin with the next event.
   *
   * @throws {InvalidReceiverUrlError | InsufficientScopeError | PolicyNotAssignableError | InvalidRequestError}
   * @throws {DomainError} `too_many_subscriptions`
   */
  async create(
    caller: Principal,
    workspaceId: string,
    { url, events, description, status = 'enabled', policyId = null, ...body }: CreateSubscriptionDto,
  ): Promise<SubscriptionDto> {
    const { excludedActorId = null, watcherId = null } = body;
    this.requireValidUrl(url);
    this.log.requireReadable(caller, events);
    const { userId } = caller;
    const { lastSequence } = await this.log.getRange(workspaceId);
    const secret = generateWebhookSecret();
    const id = uuid();
    await this.database.transaction(async () => {
      if ((await this.repository.countLocked(workspaceId)) >= MAX_SUBSCRIPTIONS)
        throw new DomainError(SUBSCRIPTION_ERRORS.too_many_subscriptions);
      await this.references.require(workspaceId, { policyId, excludedActorId, watcherId });
      await this.database.repository(Subscription).insert({
        workspaceId,
        id,
        url,
        events,
        description: description ?? null,
        status,
        disabledReason: status === 'disabled' ? 'caller' : null,
        secret: this.encrypt(secret),
        queuedThrough: lastSequence,
        ownerId: userId,
        policyId,
        excludedActorId,
        watcherId,
        createdBy: userId,
        updatedBy: userId,
      });
      await this.record('subscription_created', { workspaceId, subscriptionId: id }, undefined, {
        address: toAddress(url),
        policyId,
      });
    });
    void this.dispatcher.queue(workspaceId);
    return { ...(await this.repository.get({ workspaceId, subscriptionId: id })), secret };
  }

  /** @throws {InvalidCursorError} */
  list(workspaceId: string, { limit, cursor }: PageQueryDto): Promise<Page<SubscriptionDto>> {
    const statement = { sql: SELECT_SUBSCRIPTIONS, parameters: [workspaceId], sized: ['url', 'events', 'description'] };
    return getRowPage<SubscriptionDto>(this.database, ['subscriptions', workspaceId], statement, { limit, cursor });
  }

  /** @throws {NotFoundError} */
  get(key: SubscriptionKey): Promise<SubscriptionDto> {
    return this.repository.get(key);
  }

  /**
   * If the receiver, the types, the access policy or the status change, the caller needs the scopes of all types, also
   * of those that remain or are removed: a new URL would receive their events. The queued deliveries of removed types
   * end. The events are then delivered on behalf of the caller.
   *
   * @throws {NotFoundError | PreconditionFailedError | InvalidReceiverUrlError | InsufficientScopeError}
   * @throws {PolicyNotAssignableError | InvalidRequestError}
   */
  async change(
    caller: Principal,
    key: SubscriptionKey,
    { status, ...changes }: ChangeSubscriptionDto,
    accepted: AcceptedVersions,
  ): Promise<SubscriptionDto> {
    if (changes.url !== undefined) this.requireValidUrl(changes.url);
    // Earlier events receive their numbers first, so that they are not new ones.
    if (status === 'enabled') await this.log.getRange(key.workspaceId);
    await this.database.transaction(async () => {
      const stored = await this.repository.lock(key);
      requireVersion(stored, accepted);
      const { url, events, policyId, excludedActorId, watcherId } = changes;
      const received = [url, events, policyId, excludedActorId, watcherId];
      const receivesEvents = received.some((value) => value !== undefined) || status === 'enabled';
      await this.references.require(key.workspaceId, changes);
      if (receivesEvents) {
        this.log.requireReadable(caller, [...stored.events, ...(events ?? [])]);
        await this.repository.cancelOtherTypes(key, events ?? stored.events);
      }
      if (status === 'disabled') await this.repository.disable(key, 'caller');
      const isEnabled = status === 'enabled' && stored.status === 'disabled';
      if (isEnabled) await this.repository.setPosition(key);
      const current = await this.repository.get(key);
      const enabled = isEnabled ? ({ status, disabledReason: null } as const) : {};
      // The failures of the former receiver do not count against the next one.
      const moved = url !== undefined && url !== stored.url ? { failingSince: null } : {};
      const ownerId = receivesEvents ? caller.userId : current.ownerId;
      const isTaken = ownerId !== current.ownerId;
      const values = { ...withoutAbsent(changes), ...enabled, ...moved, ownerId, updatedBy: caller.userId };
      await this.database.repository(Subscription).save(Object.assign(current, values));
      const recorded = { ...changes, status: isEnabled ? status : undefined, ownerId: isTaken ? ownerId : undefined };
      const fields = Object.keys(withoutAbsent(recorded));
      const details = withoutAbsent({ address: url === undefined ? undefined : toAddress(url), policyId });
      if (fields.length > 0) await this.record('subscription_changed', key, fields.join(', '), details);
    });
    if (status === 'enabled') void this.dispatcher.queue(key.workspaceId);
    return this.repository.get(key);
  }

  /** @throws {NotFoundError | PreconditionFailedError} */
  async delete(key: SubscriptionKey, accepted: AcceptedVersions): Promise<null> {
    await this.database.transaction(async () => {
      const stored = await this.repository.lock(key);
      requireVersion(stored, accepted);
      await this.database.repository(Subscription).delete({ workspaceId: key.workspaceId, id: key.subscriptionId });
      await this.record('subscription_deleted', key);
    });
    return null;
  }

  /**
   * Issues a new secret. The previous one signs, too, for 24 hours.
   *
   * @throws {NotFoundError | InsufficientScopeError}
   */
  async rotateSecret(caller: Principal, key: SubscriptionKey): Promise<SubscriptionDto> {
    const secret = generateWebhookSecret();
    await this.database.transaction(async () => {
      const { events } = await this.repository.lock(key);
      this.log.requireReadable(caller, events);
      await this.repository.replaceSecret(key, this.encrypt(secret), new Date(Date.now() + PREVIOUS_SECRET_MS));
      await this.record('subscription_secret_rotated', key);
    });
    return { ...(await this.repository.get(key)), secret };
  }

  /**
   * Sends the events from a number on again, instead of those of them that are queued.
   *
   * @throws {NotFoundError | EventsRemovedError | InsufficientScopeError | DomainError} `subscription_disabled`
   */
  async replay(
    caller: Pick<Principal, 'scopes'>,
    key: SubscriptionKey,
    from: number,
  ): Promise<{ from: number; through: number }> {
    const { lastSequence, removedThrough } = await this.log.getRange(key.workspaceId);
    if (from <= removedThrough) throw new EventsRemovedError(removedThrough);
    await this.database.transaction(async () => {
      const { status, events } = await this.repository.lock(key);
      this.log.requireReadable(caller, events);
      if (status === 'disabled') throw new DomainError(SUBSCRIPTION_ERRORS.subscription_disabled);
      await this.repository.rewind(key, Math.min(from - 1, lastSequence));
    });
    void this.dispatcher.queue(key.workspaceId);
    return { from, through: lastSequence };
  }

  /** All subscriptions of one workspace or of all, for the operator. */
  listAll(workspaceId?: string): Promise<ListedSubscription[]> {
    return this.repository.list(workspaceId);
  }

  /** For the operator. @throws {NotFoundError} */
  async getKey(id: string): Promise<SubscriptionKey> {
    return { workspaceId: await this.repository.getWorkspace(id), subscriptionId: id };
  }

  /** For the operator. */
  async disable(key: SubscriptionKey): Promise<void> {
    await this.repository.disable(key, 'operator');
  }

  /** For the operator. Disables all of a workspace. @returns how many were enabled. */
  async disableAll(workspaceId: string): Promise<number> {
    const enabled = (await this.listAll(workspaceId)).filter(({ status }) => status === 'enabled');
    for (const { id: subscriptionId } of enabled) await this.disable({ workspaceId, subscriptionId });
    return enabled.length;
  }

  /** A secret that no receiver knows, for subscriptions without one, until their owner rotates it. */
  createUnknownSecret(): Buffer {
    return this.encrypt(generateWebhookSecret());
  }

  /** Records the ID in the audit log, the names of the changed fields, and the address and policy that were set. */
  private record(
    kind: AuditedEvent['kind'],
    { workspaceId, subscriptionId }: SubscriptionKey,
    fields?: string,
    details?: object,
  ): Promise<void> {
    const reason = fields === undefined ? subscriptionId : `${subscriptionId} ${fields}`;
    return this.audit.record({ kind, workspaceId, reason, details: { ...details } });
  }

  private encrypt(secret: string): Buffer {
    return encrypt(Buffer.from(secret), this.config.secrets.encryptionKey);
  }

  /** A name is checked at each connection. */
  private requireValidUrl(text: string): void {
    const { allowHttp, allowedNetworks } = this.config.events;
    const url = new URL(text);
    if (url.protocol !== 'https:' && !allowHttp) throw new InvalidReceiverUrlError(HTTPS_NEEDED);
    if (url.username !== '' || url.password !== '')
      throw new InvalidReceiverUrlError('The URL must not contain credentials. Verify the signature instead.');
    try {
      new NetworkPolicy(allowedNetworks).requireAllowedHost(url);
    } catch (error) {
      if (!(error instanceof ForbiddenAddressError)) throw error;
      throw new InvalidReceiverUrlError(`${error.message}. ${PUBLIC_ADDRESS_NEEDED}`);
    }
  }
}

// A developer who runs the service has a receiver on the same machine.
const HTTPS_NEEDED = 'The URL must begin with https://, unless the operator sets EVENTS_ALLOW_HTTP=true.';
const PUBLIC_ADDRESS_NEEDED =
  'Deliveries are sent to public addresses, and to those that the operator lists in EVENTS_ALLOWED_NETWORKS.';

/** Where a subscription sends events, without the path, which may contain a secret. */
function toAddress(url: string): string {
  return new URL(url).origin;
}

function withoutAbsent<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}
