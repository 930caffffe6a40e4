import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Authenticator } from '../../platform/security/authenticator.js';
import type { Principal } from '../../platform/security/principal.js';
import { ApiKeyGuard } from './api-key.strategy.js';
import { CredentialsMissingError } from './auth.errors.js';
import { BearerGuard } from './bearer.strategy.js';

/** A request with a Bearer is judged by the Bearer alone, also where a good API key stands beside it. */
@Injectable()
export class PassportAuthenticator extends Authenticator {
  constructor(
    private readonly bearer: BearerGuard,
    private readonly apiKey: ApiKeyGuard,
  ) {
    super();
  }

  async authenticate(context: ExecutionContext): Promise<Principal> {
    const request = context.switchToHttp().getRequest<Request & { user?: Principal }>();
    const { authorization, 'x-api-key': apiKey } = request.headers;
    if (authorization && /^bearer\b/i.test(authorization)) await this.bearer.canActivate(context);
    else if (apiKey !== undefined) await this.apiKey.canActivate(context);
    else throw new CredentialsMissingError();
    return request.user!;
  }
}
