import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { AuditService } from '../audit/audit.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { type KeyUse, SigningKey } from './signing-key.entity.js';
import { SigningKeysRepository } from './signing-keys.repository.js';

/**
 * Seconds added to the lifetime of the last token, for instances that have not reloaded yet and for clock differences.
 */
const MARGIN_S = 300;

/** The columns that the operator may read: no key material. */
const RECORD = {
  kid: true,
  use: true,
  alg: true,
  state: true,
  createdAt: true,
  activatedAt: true,
  retiredAt: true,
  verifyUntil: true,
} as const;

export type SigningKeyRecord = Pick<SigningKey, keyof typeof RECORD>;

/** The life cycle of signing keys: next, active, retired. Each use has one active key and one next key. */
@Injectable()
export class SigningKeyRotationService {
  constructor(
    private readonly database: Database,
    private readonly keys: SigningKeysRepository,
    private readonly config: Config,
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
  ) {}

  /**
   * How often running instances reload the keys, in seconds: after this time at the latest all have applied a change.
   */
  get reloadIntervalS(): number {
    return this.config.tokens.keyReloadS;
  }

  /**
   * Activates the next keys and creates new next ones. Tokens of the old keys stay valid: access tokens until the last
   * one expires, refresh tokens without limit, because a used one must be recognized "at any time" (specification,
   * section 3) and that requires its signature to be verified.
   *
   * @returns the kid of the active key per use.
   */
  async rotate(): Promise<Record<KeyUse, string>> {
    return this.changeKeys(async () => {
      await this.keys.activateNext(this.config.tokens.accessTtlS + MARGIN_S);
      await this.audit.record({ kind: 'signing_keys_rotated' });
    });
  }

  /**
   * For a leaked key: replaces all keys and invalidates everything that the old ones signed. This includes keys that
   * retired earlier, because it is seldom known which key leaked and when.
   *
   * The sessions are revoked too. They could never be refreshed again, and would count towards the limit of ten
   * sessions (specification, section 8) for days. This is a second transaction, so that it cannot delay the keys.
   *
   * @returns the kid of the active key per use.
   */
  async replace(): Promise<Record<KeyUse, string>> {
    const active = await this.changeKeys(() => this.keys.invalidateAll());
    const sessions = await this.sessions.revokeAll('operator');
    await this.audit.record({ kind: 'signing_keys_replaced', counts: { sessions } });
    return active;
  }

  /** All keys including retired ones, the oldest of each use first. */
  list(): Promise<SigningKeyRecord[]> {
    return this.database
      .repository(SigningKey)
      .find({ select: RECORD, order: { use: 'ASC', createdAt: 'ASC', kid: 'ASC' } });
  }

  private async changeKeys(change: () => Promise<void>): Promise<Record<KeyUse, string>> {
    return this.database.transaction(async () => {
      await this.keys.lock();
      await change();
      await this.keys.createMissing();
      const active = await this.database
        .repository(SigningKey)
        .find({ select: { use: true, kid: true }, where: { state: 'active' } });
      return Object.fromEntries(active.map(({ use, kid }) => [use, kid])) as Record<KeyUse, string>;
    });
  }
}
