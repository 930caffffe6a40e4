import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import type { StoredFileDto } from '../../platform/storage/stored-file.dto.js';
import { ATTACHMENT_ERRORS } from './attachments.errors.js';
import { parseStoredJson } from '../../../packages/sql/src/stored-json.js';
import { DomainError } from '../../../packages/errors/src/domain-error.js';

/** What a URL of an attachment returns. */
export type FileVariant = 'file' | 'thumbnail';

/** Expiry times are rounded up to this fraction of the lifetime, so that browsers can cache a URL in the meantime. */
const STEPS_PER_LIFETIME = 4;

const PATH = '/v1/public/attachments';
const EXPIRES = /\?expires=(\d{1,15})&/;

/** Signed, expiring URLs. They need no credentials, so a web page can use them in an `<img>` element. */
@Injectable()
export class SignedUrls {
  private readonly key: Buffer;
  private readonly publicUrl: string;
  private readonly ttlS: number;

  constructor({ secrets, http, attachments }: Config) {
    this.key = Buffer.from(hkdfSync('sha256', secrets.encryptionKey, '', 'attachment addresses', 32));
    this.publicUrl = http.publicUrl;
    this.ttlS = attachments.urlTtlS;
  }

  /** Expiry of a URL signed now, in seconds since the Unix epoch: the lifetime, or up to a quarter more. */
  nextExpiry(): number {
    const step = Math.max(1, Math.ceil(this.ttlS / STEPS_PER_LIFETIME));
    return Math.ceil((Date.now() / 1000 + this.ttlS) / step) * step;
  }

  sign(id: string, variant: FileVariant, expires: number): string {
    return this.publicUrl + this.signTarget(id, variant, expires);
  }

  /**
   * Only the exact text that `sign` returned is valid: of other spellings, such as base64url with other trailing bits,
   * `expires=01` or a further parameter, caches would store copies.
   *
   * @param target path and query of the request, as they were sent.
   * @returns the expiry in seconds since the Unix epoch.
   * @throws {DomainError} `invalid_signature` or `url_expired`
   */
  verify(id: string, variant: FileVariant, target: string): number {
    const expires = Number(EXPIRES.exec(target)?.[1]);
    const actual = Buffer.from(target);
    const expected = Buffer.from(this.signTarget(id, variant, expires));
    if (actual.length !== expected.length || !timingSafeEqual(actual, expected))
      throw new DomainError(ATTACHMENT_ERRORS.invalid_signature);
    if (expires * 1000 <= Date.now()) throw new DomainError(ATTACHMENT_ERRORS.url_expired);
    return expires;
  }

  /** A body as JSON with new URLs of its files, because those in a stored body may have expired. */
  renewAll(body: string): string {
    // Most bodies have no files.
    if (!body.includes(`"${this.publicUrl}${PATH}/`)) return body;
    const expires = this.nextExpiry();
    return JSON.stringify(
      parseStoredJson(body, (_key, value: unknown) => (isFile(value) ? this.renew(value, expires) : value)),
    );
  }

  private renew(file: StoredFileDto, expires: number): object {
    const thumbnailUrl = file.thumbnailUrl === null ? null : this.sign(file.id, 'thumbnail', expires);
    return { ...file, url: this.sign(file.id, 'file', expires), thumbnailUrl, urlExpiresAt: new Date(expires * 1000) };
  }

  private signTarget(id: string, variant: FileVariant, expires: number): string {
    const path = variant === 'file' ? id : `${id}/thumbnail`;
    const signature = this.digest(id, variant, expires).toString('base64url');
    return `${PATH}/${path}?expires=${expires}&signature=${signature}`;
  }

  /** The digest needs no workspace ID, because the attachment's ID is unique in the service. */
  private digest(id: string, variant: FileVariant, expires: number): Buffer {
    return createHmac('sha256', this.key).update(`${variant} ${id} ${expires}`).digest();
  }
}

/** In the responses that are renewed, fields that callers choose, such as `customFields`, have no numbers. */
function isFile(value: unknown): value is StoredFileDto {
  if (typeof value !== 'object' || value === null) return false;
  const { id, size, url, sha256 } = value as Record<string, unknown>;
  return typeof size === 'number' && [id, url, sha256].every((field) => typeof field === 'string');
}
