import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Scope } from './scopes.js';

/** The authenticated caller. Always read from the database, never only from a token. */
export interface Principal {
  readonly userId: string;
  /** The OAuth2 client of a session. */
  readonly clientId?: string;
  /** Absent for an API key. */
  readonly sessionId?: string;
  /** The ID of the API key, not the key itself. */
  readonly apiKeyId?: string;
  /**
   * The caller's workspaces; for the caller all others do not exist. If the path names one, or the query of a read,
   * this is the only one.
   */
  readonly workspaceIds: readonly string[];
  readonly scopes: readonly Scope[];
}

declare module 'http' {
  interface IncomingMessage {
    /** Set by the access guard, except on public routes. */
    principal?: Principal;
  }
}

/** Injects the principal into a handler. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<Request>();
  if (!principal) throw new Error('@Caller() needs a route with @RequireScope()');
  return principal;
});
