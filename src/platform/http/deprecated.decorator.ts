import { applyDecorators, type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiOperation } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Config } from '../config/config.js';

const DEPRECATION = Symbol('deprecation');

interface Deprecation {
  /** Date of the deprecation, such as `2026-11-21`. */
  since: string;
  /** Path of the replacement. `{workspaceId}` becomes the caller's workspace after authentication. */
  successor: string;
}

const WORKSPACE = '{workspaceId}';

/** The route works, and every response names the deprecation and its successor (RFC 9745, RFC 8288). */
export function Deprecated(deprecation: Deprecation): MethodDecorator {
  return applyDecorators(
    SetMetadata(DEPRECATION, deprecation),
    // Without `summary: undefined`, the default would replace the summary of the route's own @ApiOperation.
    ApiOperation({ summary: undefined, deprecated: true }),
  );
}

/**
 * Sets the deprecation headers. Runs before all other guards, so that their errors have the headers, too; and again after
 * the access guard, which knows the workspace in the successor's path.
 */
@Injectable()
export class DeprecationNotice implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly config: Config,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const deprecation = this.reflector.get<Deprecation | undefined>(DEPRECATION, context.getHandler());
    if (deprecation) {
      const { principal } = context.switchToHttp().getRequest<Request>();
      const response = context.switchToHttp().getResponse<Response>();
      const successor = deprecation.successor.replace(
        WORKSPACE,
        principal?.workspaceIds[0] ?? encodeURIComponent(WORKSPACE),
      );
      response.setHeader('Deprecation', `@${Date.parse(deprecation.since) / 1000}`);
      response.setHeader('Link', `<${this.config.http.publicUrl}${successor}>; rel="successor-version"`);
    }
    return true;
  }
}
