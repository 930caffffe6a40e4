import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { Authenticator } from './authenticator.js';
import { ACCESS, type Access } from './require-scope.decorator.js';
import { anyGrants, type Scope } from './scopes.js';
import { InsufficientScopeError } from './security.errors.js';
import { reachableWorkspaces } from './workspace-access.js';

/** Every request passes here: first who calls (401), then the scope (403), then the workspace in the path (404). */
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
    requireAny(access.scopes, principal.scopes);
    reachableWorkspaces(principal, request.params['workspaceId'] as string | undefined);
    request.principal = principal;
    return true;
  }
}

function requireAny(needed: readonly Scope[], held: readonly Scope[]): void {
  if (needed.length > 0 && !needed.some((scope) => anyGrants(held, scope))) throw new InsufficientScopeError(needed);
}
