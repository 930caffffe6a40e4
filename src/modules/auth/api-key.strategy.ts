import { Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import passportHeaderApiKey from 'passport-headerapikey';
import type { Identity } from '../../platform/security/principal.js';
import { ApiKeyAuthenticator } from './api-key-authenticator.js';
import { InvalidApiKeyError } from './auth.errors.js';

/** Authenticates `X-API-Key`. */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(passportHeaderApiKey.HeaderAPIKeyStrategy, 'api-key') {
  constructor(private readonly apiKeys: ApiKeyAuthenticator) {
    super({ header: 'X-API-Key', prefix: '' }, false);
  }

  validate(apiKey: string): Promise<Identity> {
    return this.apiKeys.authenticate(apiKey);
  }
}

/** Throws the error of the strategy instead of passport's generic 401. */
@Injectable()
export class ApiKeyGuard extends AuthGuard('api-key') {
  override handleRequest<User>(error: unknown, principal: User | false): User {
    if (error) throw error as Error;
    if (!principal) throw new InvalidApiKeyError();
    return principal;
  }
}
