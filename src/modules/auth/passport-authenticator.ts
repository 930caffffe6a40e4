import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Authenticator } from '../../platform/security/authenticator.js';
import type { Principal } from '../../platform/security/principal.js';
import { BEARER_SCHEME, type Scheme } from '../../platform/security/require-scope.decorator.js';
import { ApiKeyGuard } from './api-key.strategy.js';
import { ApiKeyMissingError, CredentialsMissingError } from './auth.errors.js';
import { BearerGuard } from './bearer.strategy.js';

/**
 * A request with a Bearer is judged by the Bearer alone, also where a good API key stands beside it; but on a route that
 * looks at keys alone a Bearer is not seen.
 */
@Injectable()
export class PassportAuthenticator extends Authenticator {
  constructor(
    private readonly bearer: BearerGuard,
    private readonly apiKey: ApiKeyGuard,
  ) {
    super();
  }

  async authenticate(context: ExecutionContext, schemes: readonly Scheme[]): Promise<Principal> {
    const request = context.switchToHttp().getRequest<Request & { user?: Principal }>();
    const { authorization, 'x-api-key': apiKey } = request.headers;
    const takesBearer = schemes.includes(BEARER_SCHEME);
    if (takesBearer && authorization && /^bearer\b/i.test(authorization)) await this.bearer.canActivate(context);
    else if (apiKey !== undefined) await this.apiKey.canActivate(context);
    else throw takesBearer ? new CredentialsMissingError() : new ApiKeyMissingError();
    return request.user!;
  }
}
