import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiOperation } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Config } from '../config/config.js';

const DEPRECATION = Symbol('deprecation');

interface Deprecation {
  /** The day from which on nobody should begin to use the route, such as `2026-11-21`. */
  since: string;
  /** The path that callers should use in its place. `{workspaceId}` becomes the caller's, once it is known who calls. */
  successor: string;
}

const WORKSPACE = '{workspaceId}';

/** The route still works, and every answer of it says that another should be called (RFC 9745, RFC 8288). */
export function Deprecated(deprecation: Deprecation): MethodDecorator {
  return applyDecorators(
    SetMetadata(DEPRECATION, deprecation),
    // Beside what the route's own @ApiOperation says, whose summary the default one would replace.
    ApiOperation({ summary: undefined, deprecated: true }),
    // Once more behind the guard of access, which knows the caller's workspace.
    ...(deprecation.successor.includes(WORKSPACE) ? [UseGuards(DeprecationNotice)] : []),
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
