import type { ExecutionContext } from '@nestjs/common';
import type { Principal } from './principal.js';
import type { Scheme } from './require-scope.decorator.js';

/** Turns a request's credentials into a principal. Platform declares it, the auth module provides it. */
export abstract class Authenticator {
  /**
   * @param schemes what the route looks at; credentials of any other are as good as none.
   * @throws {DomainError} `unauthenticated`, saying what is wrong with the credentials.
   */
  abstract authenticate(context: ExecutionContext, schemes: readonly Scheme[]): Promise<Principal>;
}
