import type { ExecutionContext } from '@nestjs/common';
import type { Identity } from './principal.js';
import type { Scheme } from './require-scope.decorator.js';

/** Verifies the credentials of a request. The auth module implements it. */
export abstract class Authenticator {
  /**
   * @param schemes the schemes that the route accepts; other credentials are ignored.
   * @throws {DomainError} `unauthenticated`
   */
  abstract authenticate(context: ExecutionContext, schemes: readonly Scheme[]): Promise<Identity>;
}
