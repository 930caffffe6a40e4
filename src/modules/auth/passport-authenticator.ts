import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { onFailure } from '../../platform/http/handler-hooks.js';
import { Authenticator } from '../../platform/security/authenticator.js';
import type { Principal } from '../../platform/security/principal.js';
import { API_KEY_SCHEME, BEARER_SCHEME, type Scheme } from '../../platform/security/require-scope.decorator.js';
import { FailureLimit } from '../../platform/throttling/failure-limit.js';
import { AccessAudit } from './access-audit.js';
import { ApiKeyGuard } from './api-key.strategy.js';
import { ApiKeysService } from './api-keys.service.js';
import { CredentialsMissingError } from './auth.errors.js';
import { BearerGuard, BearerStrategy } from './bearer.strategy.js';

/**
 * If a request has a Bearer token, only that token is evaluated, even together with a valid API key. A route that
 * accepts only API keys ignores `Authorization`, and one that accepts only tokens ignores `X-API-Key`.
 */
@Injectable()
export class PassportAuthenticator extends Authenticator {
  constructor(
    private readonly bearer: BearerGuard,
    private readonly tokens: BearerStrategy,
    private readonly apiKey: ApiKeyGuard,
    private readonly keys: ApiKeysService,
    private readonly failures: FailureLimit,
    private readonly audit: AccessAudit,
  ) {
    super();
  }

  async authenticate(context: ExecutionContext, schemes: readonly Scheme[]): Promise<Principal> {
    const request = context.switchToHttp().getRequest<Request>();
    const caller: { principal?: Principal } = {};
    onFailure(request, (error) => this.audit.record(error, request, caller.principal));
    return (caller.principal = await this.identify(context, schemes));
  }

  private async identify(context: ExecutionContext, schemes: readonly Scheme[]): Promise<Principal> {
    const request = context.switchToHttp().getRequest<Request & { user?: Principal }>();
    const { authorization, 'x-api-key': apiKey } = request.headers;
    const acceptsBearer = schemes.includes(BEARER_SCHEME);
    const acceptsKey = schemes.includes(API_KEY_SCHEME);
    if (acceptsBearer && authorization && /^bearer\b/i.test(authorization)) {
      // Passport verifies each token once; its later uses do not need it.
      const known = this.tokens.authenticateKnown(request);
      if (known) return known;
      await this.bearer.canActivate(context);
    } else if (acceptsKey && apiKey !== undefined) {
      // Passport reads each key once; its later uses do not need it.
      const known = typeof apiKey === 'string' ? this.keys.authenticateKnown(apiKey) : undefined;
      if (known) return known;
      const response = context.switchToHttp().getResponse<Response>();
      await this.failures.run('keyFailures', request, response, async () => {
        await this.apiKey.canActivate(context);
      });
    } else throw new CredentialsMissingError({ acceptsBearer, acceptsKey });
    return request.user!;
  }
}
