import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** What a machine-made secret is for; it stands at its beginning, so that people and scanners recognise it. */
export type SecretPrefix = 'wsc_' | 'wss_' | 'wsk_';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 is just above 2^256. */
const BODY_LENGTH = 43;
/** 62^6 is above 2^32. */
const CHECK_LENGTH = 6;

/** A new secret of 256 random bits: prefix, 43 base62 characters, and a check of 6 more. */
export function makeSecret(prefix: SecretPrefix): string {
  const body = prefix + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), BODY_LENGTH);
  return body + checkOf(body);
}

/** Could this be such a secret? A typo is refused here, before the database is asked. */
export function isWellFormedSecret(prefix: SecretPrefix, text: string): boolean {
  if (text.length !== prefix.length + BODY_LENGTH + CHECK_LENGTH || !text.startsWith(prefix)) return false;
  const body = text.slice(0, -CHECK_LENGTH);
  return text.slice(-CHECK_LENGTH) === checkOf(body);
}

function checkOf(body: string): string {
  return base62(BigInt(crc32(body)), CHECK_LENGTH);
}

function base62(number: bigint, length: number): string {
  let text = '';
  for (let rest = number; text.length < length; rest /= 62n) text = ALPHABET[Number(rest % 62n)]! + text;
  return text;
}
