import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { Authenticator } from './authenticator.js';
import { OBEYS_POLICIES } from './obeys-policies.decorator.js';
import { ACCESS, type Access, type RestrictedAccess } from './require-scope.decorator.js';
import { resolveWorkspaces, requireAnyScope, toPrincipal } from './workspace-access.js';

/**
 * Checks every request: the credentials (401), the scope (403), the workspace of the path (404), and the caller's role
 * and access policies in it (403). A request that names no workspace is rejected if they do not suffice in any
 * workspace.
 */
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
    request.renewCaller = () => this.authorize(context, request, access);
    await request.renewCaller();
    return true;
  }

  /** Sets `identity` and `principal` of the request. @throws {DomainError} */
  private async authorize(context: ExecutionContext, request: Request, access: RestrictedAccess): Promise<void> {
    const caller = await this.authenticator.authenticate(context, access.schemes);
    // Before the checks: the log names the caller of a rejected request.
    request.identity = caller;
    requireAnyScope(access.scopes, caller.scopes);
    const isOwnMembership =
      access.ownRole !== undefined && request.params['id']?.toString().toLowerCase() === caller.userId;
    const obeysPolicies = () =>
      this.reflector.getAllAndOverride<boolean | undefined>(OBEYS_POLICIES, [
        context.getHandler(),
        context.getClass(),
      ]) ?? false;
    const { scopes, role, ownRole } = access;
    const principal = toPrincipal(caller, { scopes, role: isOwnMembership ? ownRole : role, obeysPolicies });
    resolveWorkspaces(principal, request.params['workspaceId'] as string | undefined);
    request.principal = principal;
  }
}
