import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';

/** Metadata key of a route's `Deprecation`. */
export const DEPRECATION = Symbol('deprecation');

export interface Deprecation {
  /** Date of the deprecation, such as `2026-11-21`. */
  since: string;
  /** Date from which the route may be absent, such as `2027-11-21` (RFC 8594). */
  sunset?: string;
  /** Path of the replacement. `{workspaceId}` becomes the caller's workspace after authentication. */
  successor: string;
}

/** The route works, and every response names the deprecation and its successor (RFC 9745, RFC 8288). */
export function Deprecated(deprecation: Deprecation): MethodDecorator {
  return applyDecorators(
    SetMetadata(DEPRECATION, deprecation),
    // Without `summary: undefined`, the default would replace the summary of the route's own @ApiOperation.
    ApiOperation({ summary: undefined, deprecated: true }),
  );
}
