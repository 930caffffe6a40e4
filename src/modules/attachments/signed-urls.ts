import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { InvalidSignatureError } from './attachments.errors.js';

/** What of an attachment an address leads to. */
export type Part = 'file' | 'thumbnail';

/** How many addresses a file has in the time that one of them lives: a browser's cache finds it again meanwhile. */
const STEPS = 4;

/** Addresses that anybody may open for a while: whoever sees a record may see its files, in a plain `<img>` too. */
@Injectable()
export class SignedUrls {
  private readonly key: Buffer;
  private readonly base: string;
  private readonly ttlS: number;

  constructor({ secrets, http, attachments }: Config) {
    this.key = Buffer.from(hkdfSync('sha256', secrets.encryptionKey, '', 'attachment addresses', 32));
    this.base = `${http.publicUrl}/v1/public/attachments`;
    this.ttlS = attachments.urlTtlS;
  }

  /** When an address that is made now ends, in seconds since the epoch: after its time to live, or up to a quarter more. */
  expiry(now = Date.now()): number {
    const step = Math.max(1, Math.ceil(this.ttlS / STEPS));
    return Math.ceil((now / 1000 + this.ttlS) / step) * step;
  }

  urlOf(id: string, part: Part, expires: number): string {
    const path = part === 'file' ? id : `${id}/thumbnail`;
    return `${this.base}/${path}?expires=${expires}&signature=${this.sign(id, part, expires).toString('base64url')}`;
  }

  /** @throws {InvalidSignatureError} where the address was not made here, was changed, or is over. */
  check(id: string, part: Part, expires: number, signature: string, now = Date.now()): void {
    const sent = Buffer.from(signature, 'base64url');
    const made = this.sign(id.toLowerCase(), part, expires);
    if (sent.length !== made.length || !timingSafeEqual(sent, made)) throw new InvalidSignatureError('changed');
    if (expires * 1000 <= now) throw new InvalidSignatureError('expired');
  }

  /** An id is unique in the service, so it stands for its workspace too. */
  private sign(id: string, part: Part, expires: number): Buffer {
    return createHmac('sha256', this.key).update(`${part} ${id} ${expires}`).digest();
  }
}
