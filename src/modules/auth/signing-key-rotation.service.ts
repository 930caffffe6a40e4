import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { AuditService } from '../audit/audit.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { type KeyState, type KeyUse, SigningKey } from './signing-key.entity.js';
import { ALGORITHM, makeKeyPair } from './signing-key-pair.js';

/** How often running instances read the keys, in seconds. */
const RELOAD_S = 30;

/** Beyond the last token's life: for instances that have yet to hear of a rotation, and for clocks that differ. */
const MARGIN_S = 300;

/** What is read of a key for the operator: neither half. */
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

/** The life of signing keys: next, active, retired. Each use has one that signs, and one that will sign next. */
@Injectable()
export class SigningKeyRotation {
  /** Seconds after which every running instance has heard of a change at the latest. */
  readonly reloadIntervalS = RELOAD_S;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
  ) {}

  /** Makes the keys that are missing. Of instances that boot at once each may try; the unique indexes let one in. */
  async fill(): Promise<void> {
    for (const use of ['access', 'refresh'] as const) {
      for (const state of ['active', 'next'] as const) await this.add(use, state);
    }
  }

  /**
   * The next keys sign from now on, and new ones are next. What the old keys have signed goes on working: access tokens
   * until the last one has expired, and refresh tokens without end, because of a used one "already used" is to be said
   * at any time (specification, section 3), and of a token whose signature nobody can check nothing can be said.
   *
   * @returns the kid of the key that now signs, by use.
   */
  async rotate(): Promise<Record<KeyUse, string>> {
    return this.inTurn(async () => {
      // One after the other: the unique index allows no two active keys, not even within a statement.
      await this.database.query(
        `UPDATE signing_keys
            SET state = 'retired', retired_at = now(),
                verify_until = CASE WHEN use = 'access' THEN now() + make_interval(secs => $1) END
          WHERE state = 'active'`,
        [this.config.tokens.accessTtlS + MARGIN_S],
      );
      await this.database.query(`UPDATE signing_keys SET state = 'active', activated_at = now() WHERE state = 'next'`);
      await this.audit.record({ kind: 'signing_keys_rotated' });
    });
  }

  /**
   * For a key that leaked: all keys are new, and no older one verifies anything, so that whatever it signed has ended.
   * Keys that retired before end too: which of them leaked, and when, is seldom known.
   *
   * The sessions end with their tokens. Nobody could ever continue them, and they would keep their users' ten places
   * (specification, section 8) for days. They come second, so that nothing about them can hold the keys back.
   *
   * @returns the kid of the key that now signs, by use.
   */
  async replace(): Promise<Record<KeyUse, string>> {
    const signing = await this.inTurn(() =>
      this.database.query(
        `UPDATE signing_keys
            SET state = 'retired', retired_at = coalesce(retired_at, now()), verify_until = least(verify_until, now())`,
      ),
    );
    const sessions = await this.sessions.revokeAll('operator');
    await this.audit.record({ kind: 'signing_keys_replaced', counts: { sessions } });
    return signing;
  }

  /** All keys there ever were, the oldest of each use first. */
  list(): Promise<SigningKeyRecord[]> {
    return this.database.manager.find(SigningKey, {
      select: RECORD,
      order: { use: 'ASC', createdAt: 'ASC', kid: 'ASC' },
    });
  }

  /**
   * Changes keys in one transaction, of which there is one at a time; whoever reads keys meanwhile need not wait. Row
   * locks would not do: whoever waited for the active key would find it retired, and hold no lock on its successor.
   */
  private async inTurn(change: () => Promise<unknown>): Promise<Record<KeyUse, string>> {
    return this.database.transaction(async () => {
      await this.database.query('LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE');
      await change();
      await this.fill();
      const active = await this.database.query<{ use: KeyUse; kid: string }>(
        `SELECT use, kid FROM signing_keys WHERE state = 'active'`,
      );
      return Object.fromEntries(active.map(({ use, kid }) => [use, kid])) as Record<KeyUse, string>;
    });
  }

  private async add(use: KeyUse, state: Exclude<KeyState, 'retired'>): Promise<void> {
    const { publicKey, encryptedPrivateKey } = makeKeyPair(this.config.secrets.encryptionKey);
    await this.database.query(
      `INSERT INTO signing_keys (kid, use, alg, state, public_key, encrypted_private_key, activated_at)
       SELECT $1, $2, $3, $4, $5, $6, CASE WHEN $4 = 'active' THEN now() END
        WHERE NOT EXISTS (SELECT 1 FROM signing_keys WHERE use = $2 AND state = $4)
       ON CONFLICT DO NOTHING`,
      [uuid(), use, ALGORITHM, state, publicKey, encryptedPrivateKey],
    );
  }
}
