import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { validate as isUuid } from 'uuid';
import { InvalidRequestError } from '../../platform/http/domain-error.js';

const HEADER = 'X-Claim-Token';

/** The token of the renderer's claim: from the header, else from the body. @throws {InvalidRequestError} */
export const ClaimToken = createParamDecorator(
  (_: unknown, context: ExecutionContext): string => {
    const request = context.switchToHttp().getRequest<Request>();
    const body = request.body as { claimToken?: unknown } | undefined;
    const token = request.headers['x-claim-token'] ?? body?.claimToken;
    if (isUuid(token)) return (token as string).toLowerCase();
    const message = `The token of the claim is needed, a UUID: as ${HEADER}, or as claimToken in the body.`;
    throw new InvalidRequestError([{ field: 'claimToken', code: 'invalid_field', message }]);
  },
  [documentHeader],
);

function documentHeader(controller: object, handler: string | symbol | undefined): void {
  const header = ApiHeader({
    name: HEADER,
    required: false,
    description: 'The `claimToken` of the claim; it may stand in the body instead.',
    schema: { type: 'string', format: 'uuid' },
  });
  header(controller, handler!, Object.getOwnPropertyDescriptor(controller, handler!)!);
}
