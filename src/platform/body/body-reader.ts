import type { ExecutionContext } from '@nestjs/common';

/** Reads request bodies. A guard that needs the body before the others injects it, and declares `@ReadsOwnBody()`. */
export abstract class BodyReader {
  /**
   * Sets `request.body` by the options of the route. A request without a body remains as it is.
   *
   * @throws {DomainError} if the body is too large, late, of another type or malformed.
   */
  abstract read(context: ExecutionContext): Promise<void>;
}
