import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { isUuid } from '../../../packages/sql/src/uuid.js';
import { InvalidRequestError } from '../../../packages/errors/src/domain-error.js';

export const CLAIM_TOKEN_HEADER = 'X-Claim-Token';

/** The token of the renderer's claim, from the header or otherwise from the body. @throws {InvalidRequestError} */
export const ClaimToken = createParamDecorator(
  (_: unknown, context: ExecutionContext): string => {
    const request = context.switchToHttp().getRequest<Request>();
    const body = request.body as { claimToken?: unknown } | undefined;
    const token = request.get(CLAIM_TOKEN_HEADER) ?? body?.claimToken;
    if (isUuid(token)) return (token as string).toLowerCase();
    const message = `claimToken must be a UUID. Send the token of the claim as ${CLAIM_TOKEN_HEADER} or in the body.`;
    throw new InvalidRequestError([{ field: 'claimToken', code: 'invalid_field', message }]);
  },
  [documentHeader],
);

function documentHeader(controller: object, handler: string | symbol | undefined): void {
  const header = ApiHeader({
    name: CLAIM_TOKEN_HEADER,
    required: false,
    description: 'The `claimToken` of the claim, unless the body contains it.',
    schema: { type: 'string', format: 'uuid' },
  });
  header(controller, handler!, Object.getOwnPropertyDescriptor(controller, handler!)!);
}
