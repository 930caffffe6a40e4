import { createHash, type Hash } from 'node:crypto';
import type { Upload } from './upload.js';

/** Characters that are hashed together: a call of the hash costs more than the characters of a value. */
const FLUSH_LENGTH = 64 * 1024;

/**
 * Hash of a JSON value: equal for another order of keys, other white space, escapes and forms of numbers. It copies only a
 * small part of the value at a time.
 */
export function digestJson(value: unknown): string {
  const digest = new JsonDigest();
  digest.add(value);
  return digest.end();
}

/** Hash of a form's content: equal for another boundary and another order of the fields. */
export function digestForm(body: object, uploads: readonly Upload[]): string {
  return digestJson([body, uploads.map(({ filename, sha256 }) => [filename, sha256])]);
}

class JsonDigest {
  private readonly hash: Hash = createHash('sha256');
  private text = '';

  /** Each part begins with its type and its length, so that different values have different texts. */
  add(value: unknown): void {
    if (typeof value === 'string') this.append(`s${value.length}:`, value);
    else if (typeof value !== 'object' || value === null) this.append(`${String(value)};`);
    else if (Array.isArray(value)) {
      this.append(`l${value.length}:`);
      for (const element of value) this.add(element);
    } else {
      const keys = Object.keys(value).sort();
      this.append(`o${keys.length}:`);
      for (const key of keys) {
        this.append(`${key.length}:`, key);
        this.add((value as Record<string, unknown>)[key]);
      }
    }
  }

  end(): string {
    this.flush();
    return this.hash.digest('hex');
  }

  private append(start: string, text = ''): void {
    this.text += start;
    this.text += text;
    if (this.text.length > FLUSH_LENGTH) this.flush();
  }

  /** UTF-8 would turn each half of a surrogate pair into the same character. */
  private flush(): void {
    this.hash.update(this.text, 'utf16le');
    this.text = '';
  }
}
