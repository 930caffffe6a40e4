import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { ApiErrors } from '../http/error.dto.js';
import { SECURITY_ERRORS } from './security.errors.js';

/** Metadata key: does the route, or each route of the controller, obey the access policies of its caller? */
export const OBEYS_POLICIES = Symbol('obeys-policies');

/** Extension of an operation: it obeys access policies. The document names the operations that reject them. */
export const POLICIES_EXTENSION = 'x-access-policies';

/**
 * The route, or each route of the controller, returns and changes only what the access policies of its caller permit.
 * All other routes reject callers with a policy, so that no route can forget it (ADR 0161).
 */
export function ObeysPolicies(): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(OBEYS_POLICIES, true), ApiExtension(POLICIES_EXTENSION, true));
}

/**
 * States that the route, or each route of the controller, rejects callers with an access policy, and documents the
 * error. A route with neither decorator rejects them, too; an architecture test requires the decision.
 */
export function RejectsPolicies(): MethodDecorator & ClassDecorator {
  return ApiErrors(SECURITY_ERRORS.policy_denied);
}
