import { createHash, createHmac, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';

/** Client ID, client secret, API key. The prefix lets people and secret scanners recognize the value. */
export type SecretPrefix = 'wsc_' | 'wss_' | 'wsk_';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 is just above 2^256. */
const BODY_LENGTH = 43;
/** 62^6 is above 2^32, the range of CRC-32. */
const CHECKSUM_LENGTH = 6;

/** Generates a secret of 256 random bits: the prefix, 43 base62 characters and a checksum of 6 characters. */
export function generateSecret(prefix: SecretPrefix): string {
  const body = prefix + toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), BODY_LENGTH);
  return body + computeChecksum(body);
}

/** Checks prefix, length and checksum, so that a typo is rejected before any database access. */
export function isWellFormedSecret(prefix: SecretPrefix, text: string): boolean {
  if (text.length !== prefix.length + BODY_LENGTH + CHECKSUM_LENGTH || !text.startsWith(prefix)) return false;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return text.slice(-CHECKSUM_LENGTH) === computeChecksum(body);
}

function computeChecksum(body: string): string {
  return toBase62(BigInt(crc32(body)), CHECKSUM_LENGTH);
}

function toBase62(number: bigint, length: number): string {
  let text = '';
  for (let rest = number; text.length < length; rest /= 62n) text = ALPHABET[Number(rest % 62n)]! + text;
  return text;
}

/** What to do if the secrets of an instance differ from those of the database. */
export const SHARE_SECRETS =
  'All instances of a database need the CREDENTIAL_PEPPER and ENCRYPTION_KEY of its first instance: set both, or copy ' +
  'DATA_DIR/secrets.json, which contains them if they were generated (docs/how-to/operating.md#run-several-instances).';

/** Hashes secrets with HMAC-SHA-256 and a pepper. A slow hash would add nothing: the input has 256 random bits. */
@Injectable()
export class SecretHasher {
  private readonly pepper: Buffer;
  /** Identifies the pepper of a stored HMAC without revealing the pepper. */
  readonly pepperId: string;

  constructor(config: Config) {
    this.pepper = config.secrets.pepper;
    this.pepperId = createHash('sha256').update('pepper-id').update(this.pepper).digest('hex').slice(0, 16);
  }

  hash(secret: string): Buffer {
    return createHmac('sha256', this.pepper).update(secret).digest();
  }
}
