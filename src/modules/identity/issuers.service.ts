import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { uuid } from '../../../packages/sql/src/uuid.js';
import { SQLSTATE, translateSqlState } from '../../../packages/sql/src/sql-state.js';
import { DomainError, InvalidRequestError, NotFoundError } from '../../../packages/errors/src/domain-error.js';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { AuditService } from '../audit/audit.service.js';
import { type ClaimMapping, claimMappingSchema, type Preset, PRESETS } from './claim-mapping.js';
import { IDENTITY_ERRORS } from './identity.errors.js';
import { isIssuerUrl } from '../../../packages/sign-in/src/issuer-url.js';
import { IssuerKeys } from './issuer-keys.js';
import { type IssuerSignIn, TrustedIssuer } from './trusted-issuer.entity.js';

export type { ClaimMapping, IssuerSignIn, Preset };

/** An issuer at which people sign in, as anonymous callers can read it. */
export interface SignInIssuer extends IssuerSignIn {
  url: string;
}

/** Unknown issuers cause at most one read of the table in this time. */
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
  async add(values: Pick<TrustedIssuer, 'url' | 'audience' | 'domains' | 'claims' | 'signIn'>): Promise<TrustedIssuer> {
    const { url } = values;
    if (!isIssuerUrl(url)) {
      const message =
        'The URL of an issuer is https, or http on this computer, without credentials, query or fragment.';
      throw new InvalidRequestError([{ field: 'url', code: 'invalid_field', message }], message);
    }
    if (url === this.config.http.publicUrl) {
      const message = 'This service is its own issuer already. Name the URL of another one.';
      throw new InvalidRequestError([{ field: 'url', code: 'invalid_field', message }], message);
    }
    const issuer = this.database.repository(TrustedIssuer).create({ id: uuid(), ...values });
    const message = `The issuer ${url} is trusted already. Remove it first.`;
    await this.database
      .transaction(async () => {
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
      const { affected } = await this.database.repository(TrustedIssuer).delete({ url });
      if (affected === 0) throw new NotFoundError(`The issuer ${url}`, undefined, 'Check the URL with "issuer list".');
      await this.audit.record({ kind: 'issuer_removed', details: { url } });
    });
  }

  /** @throws {NotFoundError} */
  async get(url: string): Promise<TrustedIssuer> {
    const issuer = await this.database.repository(TrustedIssuer).findOneBy({ url });
    if (!issuer) throw new NotFoundError(`The issuer ${url}`, undefined, 'Add it first with "issuer add".');
    return issuer;
  }

  /** An issuer that this instance has read within the last second, or undefined. It may have been removed meanwhile. */
  async find(url: string): Promise<TrustedIssuer | undefined> {
    const known = this.byUrl.get(url);
    if (known) return known;
    await this.reload();
    return this.byUrl.get(url);
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
