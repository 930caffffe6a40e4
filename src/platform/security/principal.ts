import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Scope } from './scopes.js';

/** Who calls: always resolved from the database, never believed from a token alone. */
export interface Principal {
  readonly userId: string;
  /** The OAuth2 client, where the caller signed in with one. */
  readonly clientId?: string;
  /** The session, where the caller signed in. */
  readonly sessionId?: string;
  /** The API key's id, where the caller has one; never the key. */
  readonly apiKeyId?: string;
  /** The workspaces the caller may reach; any other answers as one that does not exist. */
  readonly workspaceIds: readonly string[];
  readonly scopes: readonly Scope[];
}

declare module 'http' {
  interface IncomingMessage {
    /** Set by the access guard on every protected route. */
    principal?: Principal;
  }
}

/** The caller, as a handler's argument. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<Request>();
  if (!principal) throw new Error('@Caller() stands on a route without @RequireScope()');
  return principal;
});
