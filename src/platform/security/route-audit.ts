import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ACCESS } from './require-scope.decorator.js';

/** Stops the boot where a route says neither who may call it nor that everybody may: nothing is open by omission. */
@Injectable()
export class RouteAudit implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onModuleInit(): void {
    const open = this.discovery.getControllers().flatMap(({ metatype }) => this.undeclaredRoutes(metatype));
    if (open.length === 0) return;
    throw new Error(`Routes without @RequireScope(), @RequireCaller() or @Public(): ${open.join(', ')}`);
  }

  private undeclaredRoutes(controller: unknown): string[] {
    if (typeof controller !== 'function') return [];
    const prototype = controller.prototype as Record<string, () => unknown>;
    return this.scanner
      .getAllMethodNames(prototype)
      .filter((name) => Reflect.hasMetadata('path', prototype[name]!))
      .filter((name) => this.reflector.get(ACCESS, prototype[name]!) === undefined)
      .map((name) => `${controller.name}.${name}`);
  }
}
