import { Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import passportHeaderApiKey from 'passport-headerapikey';
import type { Principal } from '../../platform/security/principal.js';
import { ApiKeysService } from './api-keys.service.js';
import { InvalidApiKeyError } from './auth.errors.js';

/** `X-API-Key`: a static key, bound to one workspace. */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(passportHeaderApiKey.HeaderAPIKeyStrategy, 'api-key') {
  constructor(private readonly apiKeys: ApiKeysService) {
    super({ header: 'X-API-Key', prefix: '' }, false);
  }

  validate(apiKey: string): Promise<Principal> {
    return this.apiKeys.authenticate(apiKey);
  }
}

/** Passes the service's own error on. */
@Injectable()
export class ApiKeyGuard extends AuthGuard('api-key') {
  override handleRequest<Caller>(error: unknown, principal: Caller | false): Caller {
    if (error) throw error as Error;
    if (!principal) throw new InvalidApiKeyError();
    return principal;
  }
}
