import { applyDecorators, type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiOperation } from '@nestjs/swagger';
import type { Response } from 'express';
import { Config } from '../config/config.js';

const DEPRECATION = Symbol('deprecation');

interface Deprecation {
  /** The day from which on nobody should begin to use the route, such as `2026-11-21`. */
  since: string;
  /** The path that callers should use in its place. */
  successor: string;
}

/** The route still works, and every answer of it says that another should be called (RFC 9745, RFC 8288). */
export function Deprecated(deprecation: Deprecation): MethodDecorator {
  return applyDecorators(
    SetMetadata(DEPRECATION, deprecation),
    // Beside what the route's own @ApiOperation says, whose summary the default one would replace.
    ApiOperation({ summary: undefined, deprecated: true }),
  );
}

/** Stands before all other guards, so that a refusal says it too. */
@Injectable()
export class DeprecationNotice implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly config: Config,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const deprecation = this.reflector.get<Deprecation | undefined>(DEPRECATION, context.getHandler());
    if (deprecation) {
      const response = context.switchToHttp().getResponse<Response>();
      response.setHeader('Deprecation', `@${Date.parse(deprecation.since) / 1000}`);
      response.append('Link', `<${this.config.http.publicUrl}${deprecation.successor}>; rel="successor-version"`);
    }
    return true;
  }
}
