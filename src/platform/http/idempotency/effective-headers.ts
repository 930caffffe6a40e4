import { Injectable } from '@nestjs/common';

/**
 * Headers that change the effect of a request: with another value, the request is another one, so its `Idempotency-Key`
 * must differ. Modules add their own.
 */
@Injectable()
export class EffectiveHeaders {
  private readonly names = ['if-match'];

  add(name: string): void {
    this.names.push(name.toLowerCase());
  }

  /** The headers of a request, one text each. */
  list(headers: Readonly<Record<string, unknown>>): string[] {
    return this.names.filter((name) => headers[name] !== undefined).map((name) => `${name}: ${String(headers[name])}`);
  }
}
