import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { Authenticator } from './authenticator.js';
import { ACCESS, type Access } from './require-scope.decorator.js';
import { grantsAny, type Scope } from './scopes.js';
import { InsufficientScopeError } from './security.errors.js';
import { resolveWorkspaces } from './workspace-access.js';

/** Checks every request: the credentials (401), then the scope (403), then the workspace of the path (404). */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = this.reflector.get<Access>(ACCESS, context.getHandler());
    if (access.public) return true;
    const request = context.switchToHttp().getRequest<Request>();
    const principal = await this.authenticator.authenticate(context, access.schemes);
    requireAnyScope(access.scopes, principal.scopes);
    resolveWorkspaces(principal, request.params['workspaceId'] as string | undefined);
    request.principal = principal;
    return true;
  }
}

function requireAnyScope(required: readonly Scope[], granted: readonly Scope[]): void {
  if (required.length > 0 && !required.some((scope) => grantsAny(granted, scope)))
    throw new InsufficientScopeError(required);
}
