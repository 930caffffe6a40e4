import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { uuid } from '../../../packages/sql/src/uuid.js';
import { SQLSTATE, translateSqlState } from '../../../packages/sql/src/sql-state.js';
import { DomainError, InvalidRequestError, NotFoundError } from '../../../packages/errors/src/domain-error.js';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { PolicyNotAssignableError } from '../access-policies/access-policies.errors.js';
import { AccessPoliciesService } from '../access-policies/access-policies.service.js';
import { AuditService } from '../audit/audit.service.js';
import { type ClaimMapping, claimMappingSchema, type Preset, PRESETS } from './claim-mapping.js';
import { IdentitiesRepository } from './identities.repository.js';
import { IDENTITY_ERRORS } from './identity.errors.js';
import { isIssuerUrl } from '../../../packages/sign-in/src/issuer-url.js';
import { IssuerKeys } from './issuer-keys.js';
import { type IssuerSignIn, TrustedIssuer } from './trusted-issuer.entity.js';

export type { ClaimMapping, IssuerSignIn, Preset };

/** An issuer at which people sign in, as anonymous callers can read it. */
export interface SignInIssuer extends IssuerSignIn {
  url: string;
}

type IssuerValues = Pick<TrustedIssuer, 'url' | 'audience' | 'domains' | 'claims' | 'signIn'>;

/** Unknown issuers and invalid tokens cause at most one read of the table in this time. */
const RELOAD_MS = 1_000;

/** For which a page waits for the issuers. */
const MAX_WAIT_MS = 500;

/** Issuers that the operator trusts. */
@Injectable()
export class IssuersService {
  private byUrl: ReadonlyMap<string, TrustedIssuer> = new Map();
  private loading: Promise<void> | undefined;
  private loadedAt = -Infinity;
  private readonly keys = new Map<string, IssuerKeys>();

  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly config: Config,
    private readonly repository: IdentitiesRepository,
    private readonly policies: AccessPoliciesService,
  ) {}

  /**
   * Completes the mapping of claims by the preset and the defaults.
   *
   * @param mapping the content of a file.
   * @throws {InvalidRequestError}
   */
  parseClaims(preset: Preset | undefined, mapping: unknown = {}): ClaimMapping {
    const isObject = typeof mapping === 'object' && mapping !== null && !Array.isArray(mapping);
    const values = isObject ? { ...(preset ? PRESETS[preset] : {}), ...mapping } : mapping;
    const parsed = claimMappingSchema.safeParse(values);
    if (parsed.success) return parsed.data;
    const errors = parsed.error.issues.map(({ path, message }) => ({
      field: path.join('.') || undefined,
      code: 'invalid_field',
      message: path.length > 0 ? `${path.join('.')}: ${message}` : message,
    }));
    throw new InvalidRequestError(errors, `The claims are not valid. ${errors.map((each) => each.message).join('. ')}`);
  }

  /** Reads metadata and keys of the issuer. @returns why that failed; undefined if it succeeded. */
  check(issuer: TrustedIssuer): Promise<string | undefined> {
    return this.getKeys(issuer).check();
  }

  /** @throws {InvalidRequestError | DomainError} `issuer_exists` */
  async add(values: IssuerValues): Promise<TrustedIssuer> {
    const { url, audience, signIn } = values;
    if (!isIssuerUrl(url))
      reject('url', 'The URL of an issuer is https, or http on this computer, without credentials, query or fragment.');
    if (url === this.config.http.publicUrl)
      reject('url', 'This service is its own issuer already. Name the URL of another one.');
    if (signIn?.clientId === audience)
      reject(
        'audience',
        `The audience "${audience}" is also the client with which people sign in, so that ID tokens of the client ` +
          'would pass as access tokens. Register the service at the issuer with an identifier of its own, and name ' +
          'this identifier as the audience.',
      );
    const issuer = this.database.repository(TrustedIssuer).create({ id: uuid(), ...values });
    const message = `The issuer ${url} is trusted already. Remove it first.`;
    await this.database
      .transaction(async () => {
        // Issuers that are added at the same time must not have the same domains.
        await this.repository.lockIssuers();
        await this.requireOwnDomains(values);
        await this.requirePolicies(values);
        await this.database.repository(TrustedIssuer).insert(issuer);
        await this.audit.record({ kind: 'issuer_added', details: { ...values } });
      })
      .catch(
        translateSqlState(SQLSTATE.uniqueViolation, () => new DomainError(IDENTITY_ERRORS.issuer_exists, message)),
      );
    return issuer;
  }

  /** In the order in which they were added. */
  list(): Promise<TrustedIssuer[]> {
    return this.database.repository(TrustedIssuer).find({ order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /**
   * Forgets the issuer, and which users its subjects are. Its tokens are rejected from the next request on.
   *
   * @throws {NotFoundError}
   */
  async remove(url: string): Promise<void> {
    await this.database.transaction(async () => {
      const issuer = await this.database.repository(TrustedIssuer).findOneBy({ url });
      if (!issuer) throw new NotFoundError(`The issuer ${url}`, undefined, 'Check the URL with "issuer list".');
      const { id, audience, domains, claims, signIn } = issuer;
      await this.database.repository(TrustedIssuer).delete({ id });
      await this.audit.record({ kind: 'issuer_removed', details: { url, audience, domains, claims, signIn } });
    });
  }

  /** Forgets what groups permit in a workspace that is removed, also in the audit log. */
  async forgetWorkspace(workspaceId: string): Promise<void> {
    await this.database.transaction(async () => {
      await this.repository.lockIssuers();
      for (const { id, claims } of await this.list()) {
        const memberships = claims.memberships.filter(({ workspace }) => workspace !== workspaceId);
        if (memberships.length < claims.memberships.length)
          await this.database.repository(TrustedIssuer).update({ id }, { claims: { ...claims, memberships } });
      }
      await this.audit.forgetMappings(workspaceId);
    });
  }

  /** @throws {NotFoundError} */
  async get(url: string): Promise<TrustedIssuer> {
    const issuer = await this.database.repository(TrustedIssuer).findOneBy({ url });
    if (!issuer) throw new NotFoundError(`The issuer ${url}`, undefined, 'Add it first with "issuer add".');
    return issuer;
  }

  /** An issuer that this instance has read. It may have been removed meanwhile. Undefined for at most a second. */
  async find(url: string): Promise<TrustedIssuer | undefined> {
    const known = this.byUrl.get(url);
    if (known) return known;
    await this.reload();
    return this.byUrl.get(url);
  }

  /** Reads the issuers again, at most once per second. @returns false if the issuer is no longer among them. */
  async isCurrent({ id, url }: TrustedIssuer): Promise<boolean> {
    await this.reload();
    return this.byUrl.get(url)?.id === id;
  }

  /** Those at which people sign in. If the database does not respond in time, as this instance has read them last. */
  async listSignIns(): Promise<SignInIssuer[]> {
    await Promise.race([this.reload().catch(() => undefined), delay(MAX_WAIT_MS, undefined, { ref: false })]);
    return [...this.byUrl.values()].flatMap(({ url, signIn }) => (signIn ? [{ url, ...signIn }] : []));
  }

  /** Reads the issuers again before their next use, because one of them was removed. */
  forget(): void {
    this.byUrl = new Map();
    this.loadedAt = -Infinity;
  }

  /** Did this instance find any issuer when it read them last? */
  get isConfigured(): boolean {
    return this.byUrl.size > 0;
  }

  getKeys({ id, url }: TrustedIssuer): IssuerKeys {
    let keys = this.keys.get(id);
    if (!keys) this.keys.set(id, (keys = new IssuerKeys(url, this.config.issuers.keysReloadS * 1000)));
    return keys;
  }

  /** A person is the user of one issuer: the second one would be rejected only when the person signs in. */
  private async requireOwnDomains({ url, domains }: IssuerValues): Promise<void> {
    for (const other of await this.list()) {
      const shared = other.url === url ? [] : domains.filter((domain) => other.domains.includes(domain));
      if (shared.length > 0)
        reject('domains', `The issuer ${other.url} has ${shared.join(', ')} already. Remove it first, or name others.`);
    }
  }

  private async requirePolicies({ claims }: IssuerValues): Promise<void> {
    for (const [at, { workspace, policy }] of claims.memberships.entries()) {
      if (policy === undefined) continue;
      await this.policies.requireAssignable(workspace, policy).catch((error: unknown) => {
        if (!(error instanceof PolicyNotAssignableError)) throw error;
        const field = `claims.memberships.${at}.policy`;
        reject(field, `${field}: the workspace ${workspace} has no access policy with the ID ${policy}.`);
      });
    }
  }

  private reload(): Promise<void> {
    if (performance.now() - this.loadedAt < RELOAD_MS) return Promise.resolve();
    return (this.loading ??= this.load().finally(() => {
      this.loading = undefined;
    }));
  }

  private async load(): Promise<void> {
    const issuers = await this.list();
    this.byUrl = new Map(issuers.map((issuer) => [issuer.url, issuer]));
    this.loadedAt = performance.now();
    const ids = new Set(issuers.map(({ id }) => id));
    for (const id of this.keys.keys()) if (!ids.has(id)) this.keys.delete(id);
  }
}

function reject(field: string, message: string): never {
  throw new InvalidRequestError([{ field, code: 'invalid_field', message }], message);
}
