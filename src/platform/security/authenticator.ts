import type { ExecutionContext } from '@nestjs/common';
import type { Principal } from './principal.js';

/** Turns a request's credentials into a principal. Platform declares it, the auth module provides it. */
export abstract class Authenticator {
  /** @throws {DomainError} `unauthenticated`, saying what is wrong with the credentials. */
  abstract authenticate(context: ExecutionContext): Promise<Principal>;
}
