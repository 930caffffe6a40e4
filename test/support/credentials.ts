import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The IDs and secrets that an operator issues to a user of the service. */
export interface Credentials {
  workspaceId: string;
  userId: string;
  clientId: string;
  clientSecret: string;
  apiKey: string;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A client ID or an API key with a correct checksum that was never issued. */
export function unknownCredential(prefix: 'wsc_' | 'wsk_'): string {
  const body = prefix + Array.from({ length: 43 }, () => DIGITS[randomInt(62)]).join('');
  let checksum = '';
  for (let rest = crc32(body); checksum.length < 6; rest = Math.floor(rest / 62))
    checksum = DIGITS[rest % 62] + checksum;
  return body + checksum;
}
