import { createPublicKey, type KeyObject } from 'node:crypto';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { pauseRequest } from '../../platform/http/middleware.js';
import type { KeyUse } from './signing-key.entity.js';
import { decryptPrivateKey, SigningKeysRepository, type StoredKey } from './signing-keys.repository.js';

/** Minimum interval between two reads of the keys that callers can cause, in milliseconds. */
const READ_INTERVAL_MS = 2_000;

interface LoadedKey {
  kid: string;
  use: KeyUse;
  publicKey: KeyObject;
  /** Milliseconds since the epoch; the key verifies nothing from then on. */
  verifyUntil: number;
  /** Absent for a retired key. */
  privateKey?: KeyObject;
}

/** The keys that sign and verify tokens. They are stored in the database for all instances, and cached in memory. */
@Injectable()
export class SigningKeysService implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('SigningKeysService');
  private byKid = new Map<string, LoadedKey>();
  private active = new Map<KeyUse, LoadedKey>();
  private timer: NodeJS.Timeout | undefined;

  /** A read for unknown keys that has not started yet, and when the last one started. */
  private pendingRead: Promise<void> | undefined;
  private lastReadAt = -Infinity;

  /** Reads for publication are limited separately, so that they cannot delay the lookup of an unknown key. */
  private publicationRead: Promise<void> | undefined;
  private lastPublicationReadAt = -Infinity;

  constructor(
    private readonly keys: SigningKeysRepository,
    private readonly config: Config,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.keys.createMissing();
    await this.read();
    this.timer = setInterval(() => void this.tryRead(), this.config.tokens.keyReloadS * 1000).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** The key that signs new tokens of this use. */
  getSigningKey(use: KeyUse): { kid: string; privateKey: KeyObject } {
    const { kid, privateKey } = this.active.get(use)!;
    return { kid, privateKey: privateKey! };
  }

  /**
   * The public key of this use with this kid; undefined if there is none or it no longer verifies. An unknown kid can
   * be so new that only the instance that signed has read it, so the keys are read again before the token is rejected.
   */
  async find(use: KeyUse, kid: string | undefined): Promise<KeyObject | undefined> {
    if (kid === undefined) return undefined;
    // Anybody can name an unknown key: the wait uses nothing of what other callers need.
    if (!this.byKid.has(kid)) await pauseRequest(this.readForUnknownKey());
    const key = this.byKid.get(kid);
    return key?.use === use && key.verifyUntil > Date.now() ? key.publicKey : undefined;
  }

  /**
   * The keys with which others verify access tokens: next, active, and retired while their tokens are valid. If the
   * database is unavailable, these are the keys of the last read: other services need not stop.
   */
  async findPublished(): Promise<{ kid: string; publicKey: KeyObject }[]> {
    const now = performance.now();
    if (now - this.lastPublicationReadAt >= READ_INTERVAL_MS) {
      this.lastPublicationReadAt = now;
      this.publicationRead = this.tryRead();
    }
    await this.publicationRead;
    return [...this.byKid.values()].filter((key) => key.use === 'access' && key.verifyUntil > Date.now());
  }

  /**
   * Resolves after a read that started later than this call, so that it includes every key that was in the database at
   * the time of the call. Callers share reads: a flood of forged tokens causes one read per interval, and each request
   * waits for at most one interval.
   */
  private readForUnknownKey(): Promise<void> {
    return (this.pendingRead ??= this.startRead());
  }

  private async startRead(): Promise<void> {
    // At least one tick, so that requests of the same tick share the read.
    await Promise.resolve();
    const waitMs = this.lastReadAt + READ_INTERVAL_MS - performance.now();
    if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs).unref());
    this.lastReadAt = performance.now();
    this.pendingRead = undefined;
    await this.read();
  }

  private async tryRead(): Promise<void> {
    try {
      await this.read();
    } catch (error) {
      this.logger.error(`The signing keys could not be reloaded: ${(error as Error).message}`);
    }
  }

  private async read(): Promise<void> {
    const rows = await this.keys.findUsable();
    const loaded = rows.map((row) => ({ state: row.state, key: this.load(row) }));
    this.byKid = new Map(loaded.map(({ key }) => [key.kid, key]));
    this.active = new Map(loaded.filter(({ state }) => state === 'active').map(({ key }) => [key.use, key]));
  }

  /** Keys of the previous read are not decoded and decrypted again. */
  private load({ kid, use, publicKey, verifyUntil, encryptedPrivateKey }: StoredKey): LoadedKey {
    const previous = this.byKid.get(kid);
    return {
      kid,
      use,
      publicKey: previous?.publicKey ?? createPublicKey(publicKey),
      verifyUntil: verifyUntil?.getTime() ?? Infinity,
      privateKey: encryptedPrivateKey
        ? (previous?.privateKey ?? decryptPrivateKey(encryptedPrivateKey, this.config.secrets.encryptionKey))
        : undefined,
    };
  }
}
