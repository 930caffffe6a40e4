import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';

/**
 * Stores secrets as HMAC-SHA-256 under a pepper. A slow hash would buy nothing: what is hashed are 256 random bits.
 */
@Injectable()
export class SecretVault {
  private readonly pepper: Buffer;
  /** Tells which pepper a stored HMAC was made under, without telling the pepper. */
  readonly pepperId: string;

  constructor(config: Config) {
    this.pepper = config.secrets.pepper;
    this.pepperId = createHash('sha256').update('pepper-id').update(this.pepper).digest('hex').slice(0, 16);
  }

  hmac(secret: string): Buffer {
    return createHmac('sha256', this.pepper).update(secret).digest();
  }

  /** In constant time. */
  matches(secret: string, stored: Buffer): boolean {
    return timingSafeEqual(this.hmac(secret), stored);
  }
}
