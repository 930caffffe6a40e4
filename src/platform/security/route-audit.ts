import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ACCESS, type Access } from './require-scope.decorator.js';

/**
 * Prevents the start if a route declares neither a scope nor @Public(): no route is public by omission. A scope has a
 * role, so no route permits by omission what a role must not do.
 */
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
    throw new Error(`Routes without @RequireScope() with a role, @RequireSession() or @Public(): ${routes.join(', ')}`);
  }

  private findUndeclaredRoutes(controller: unknown): string[] {
    if (typeof controller !== 'function') return [];
    const prototype = controller.prototype as Record<string, () => unknown>;
    return this.scanner
      .getAllMethodNames(prototype)
      .filter((name) => Reflect.hasMetadata('path', prototype[name]!))
      .filter((name) => !isDeclared(this.reflector.get<Access | undefined>(ACCESS, prototype[name]!)))
      .map((name) => `${controller.name}.${name}`);
  }
}

function isDeclared(access: Access | undefined): boolean {
  return access !== undefined && (access.public || access.scopes.length === 0 || access.role !== undefined);
}
