import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ACCESS } from './require-scope.decorator.js';

/** Prevents the start if a route declares neither a scope nor @Public(): no route is public by omission. */
@Injectable()
export class RouteAudit implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onModuleInit(): void {
    const routes = this.discovery.getControllers().flatMap(({ metatype }) => this.findUndeclaredRoutes(metatype));
    if (routes.length === 0) return;
    throw new Error(`Routes without @RequireScope(), @RequireSession() or @Public(): ${routes.join(', ')}`);
  }

  private findUndeclaredRoutes(controller: unknown): string[] {
    if (typeof controller !== 'function') return [];
    const prototype = controller.prototype as Record<string, () => unknown>;
    return this.scanner
      .getAllMethodNames(prototype)
      .filter((name) => Reflect.hasMetadata('path', prototype[name]!))
      .filter((name) => this.reflector.get(ACCESS, prototype[name]!) === undefined)
      .map((name) => `${controller.name}.${name}`);
  }
}
