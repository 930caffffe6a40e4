import { Injectable, RequestMethod, UseInterceptors } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { NO_IDEMPOTENCY_KEY } from './no-idempotency-key.decorator.js';

/** The POST routes without `@NoIdempotencyKey()`. A global interceptor would cost all other requests CPU time, too. */
@Injectable()
export class IdempotentRoutes {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
    private readonly interceptor: IdempotencyInterceptor,
  ) {}

  /** Adds the interceptor to the routes. Call it once, before Nest registers them in `init`. */
  register(): void {
    for (const { metatype } of this.discovery.getControllers())
      if (typeof metatype === 'function') this.addInterceptor(metatype.prototype as object);
  }

  private addInterceptor(controller: object): void {
    for (const name of this.scanner.getAllMethodNames(controller)) {
      const handler = (controller as Record<string, () => unknown>)[name]!;
      const method = this.reflector.get<RequestMethod | undefined>(METHOD_METADATA, handler);
      if (method !== RequestMethod.POST || this.reflector.get(NO_IDEMPOTENCY_KEY, handler) === true) continue;
      UseInterceptors(this.interceptor)(controller, name, { value: handler });
    }
  }
}
