import { createPublicKey, type KeyObject } from 'node:crypto';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { atMostEvery } from './at-most-every.js';
import type { KeyUse, SigningKey } from './signing-key.entity.js';
import { openPrivateKey } from './signing-key-pair.js';
import { SigningKeyRotation } from './signing-key-rotation.service.js';

/** How often strangers can make an instance read its keys, in milliseconds. */
const READ_AT_MOST_EVERY_MS = 2_000;

interface LoadedKey {
  kid: string;
  use: KeyUse;
  publicKey: KeyObject;
  /** Milliseconds since the epoch; from then on the key verifies nothing. */
  verifyUntil: number;
  /** Not of a retired key. */
  privateKey?: KeyObject;
}

type Row = Pick<SigningKey, 'kid' | 'use' | 'state' | 'publicKey' | 'verifyUntil'> & {
  encryptedPrivateKey: Buffer | null;
};

/** The keys that sign and verify tokens: kept in the database, shared by all instances, held in memory. */
@Injectable()
export class SigningKeys implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('SigningKeys');
  private byKid = new Map<string, LoadedKey>();
  private active = new Map<KeyUse, LoadedKey>();
  private timer: NodeJS.Timeout | undefined;

  /** Apart from one another, so that whoever asks for the published keys cannot keep a new key from being found. */
  private readonly readForUnknown = atMostEvery(READ_AT_MOST_EVERY_MS, () => this.read());
  private readonly readForPublishing = atMostEvery(READ_AT_MOST_EVERY_MS, () => this.readAgain());

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly rotation: SigningKeyRotation,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.rotation.fill();
    await this.read();
    this.timer = setInterval(() => void this.readAgain(), this.rotation.reloadIntervalS * 1000).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** The key that signs new tokens of this use. */
  signing(use: KeyUse): { kid: string; privateKey: KeyObject } {
    const { kid, privateKey } = this.active.get(use)!;
    return { kid, privateKey: privateKey! };
  }

  /**
   * The key a token names, where it is one of ours, of this use, and still verifies. An unknown one may be so new that
   * only the instance that signed knows it: then the keys are read once more, but seldom, whoever asks for what.
   */
  async find(use: KeyUse, kid: string | undefined): Promise<KeyObject | undefined> {
    if (kid === undefined) return undefined;
    if (!this.byKid.has(kid)) await this.readForUnknown();
    const key = this.byKid.get(kid);
    return key?.use === use && key.verifyUntil > Date.now() ? key.publicKey : undefined;
  }

  /**
   * The keys by which others can verify access tokens: those that will sign, sign, or have signed what still works.
   * Where the database is out of reach they are those last read: other services need not stop because this one must.
   */
  async published(): Promise<{ kid: string; publicKey: KeyObject }[]> {
    await this.readForPublishing();
    return [...this.byKid.values()].filter((key) => key.use === 'access' && key.verifyUntil > Date.now());
  }

  private async readAgain(): Promise<void> {
    try {
      await this.read();
    } catch (error) {
      this.logger.error(`The signing keys could not be read again: ${(error as Error).message}`);
    }
  }

  /** One statement for all keys, and no parameters: what a token says reaches no statement. */
  private async read(): Promise<void> {
    const rows = await this.database.query<Row>(
      `SELECT kid, use, state, public_key AS "publicKey", verify_until AS "verifyUntil",
              CASE WHEN state <> 'retired' THEN encrypted_private_key END AS "encryptedPrivateKey"
         FROM signing_keys
        WHERE verify_until IS NULL OR verify_until > now()
        ORDER BY created_at, kid`,
    );
    const keys = rows.map((row) => ({ state: row.state, key: this.loaded(row) }));
    this.byKid = new Map(keys.map(({ key }) => [key.kid, key]));
    this.active = new Map(keys.filter(({ state }) => state === 'active').map(({ key }) => [key.use, key]));
  }

  /** What was read before is not decoded and decrypted again. */
  private loaded({ kid, use, publicKey, verifyUntil, encryptedPrivateKey }: Row): LoadedKey {
    const before = this.byKid.get(kid);
    return {
      kid,
      use,
      publicKey: before?.publicKey ?? createPublicKey(publicKey),
      verifyUntil: verifyUntil?.getTime() ?? Infinity,
      privateKey: encryptedPrivateKey
        ? (before?.privateKey ?? openPrivateKey(encryptedPrivateKey, this.config.secrets.encryptionKey))
        : undefined,
    };
  }
}
