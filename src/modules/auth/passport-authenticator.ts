import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { onFailure } from '../../platform/http/handler-hooks.js';
import { Authenticator } from '../../platform/security/authenticator.js';
import type { Identity } from '../../platform/security/principal.js';
import {
  API_KEY_SCHEME,
  BASIC_KEY_SCHEME,
  BEARER_KEY_SCHEME,
  BEARER_SCHEME,
  type Scheme,
} from '../../platform/security/require-scope.decorator.js';
import { FailureLimit } from '../../platform/throttling/failure-limit.js';
import { AccessPoliciesService } from '../access-policies/access-policies.service.js';
import { AccessAudit } from './access-audit.js';
import { ApiKeyAuthenticator } from './api-key-authenticator.js';
import { ApiKeyGuard } from './api-key.strategy.js';
import { CredentialsMissingError } from './auth.errors.js';
import { BearerGuard } from './bearer.strategy.js';
import { readBasicPassword } from './client-credentials.js';

/**
 * If a request has a Bearer token, only that token is evaluated, even together with a valid API key. A route that
 * accepts only API keys ignores `Authorization`, and one that accepts only tokens ignores `X-API-Key`. A route that
 * accepts Basic credentials reads their password as the API key.
 */
@Injectable()
export class PassportAuthenticator extends Authenticator {
  constructor(
    private readonly bearer: BearerGuard,
    private readonly apiKey: ApiKeyGuard,
    private readonly keys: ApiKeyAuthenticator,
    private readonly failures: FailureLimit,
    private readonly audit: AccessAudit,
    private readonly policies: AccessPoliciesService,
  ) {
    super();
  }

  async authenticate(context: ExecutionContext, schemes: readonly Scheme[]): Promise<Identity> {
    const request = context.switchToHttp().getRequest<Request>();
    // A request that waits is authenticated again.
    if (!request.identity) onFailure(request, (error) => this.audit.record(error, request, request.identity));
    return this.policies.resolve(await this.identify(context, schemes));
  }

  private async identify(context: ExecutionContext, schemes: readonly Scheme[]): Promise<Identity> {
    const request = context.switchToHttp().getRequest<Request & { user?: Identity }>();
    const { authorization } = request.headers;
    if (schemes.includes(BASIC_KEY_SCHEME)) {
      const password = readBasicPassword(authorization);
      // What reads the API key of a request, such as the audit log, finds it in its usual header.
      if (password !== undefined) request.headers['x-api-key'] = password;
    }
    const acceptsBearerKey = schemes.includes(BEARER_KEY_SCHEME);
    if (acceptsBearerKey) {
      const [, key] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
      if (key !== undefined) request.headers['x-api-key'] = key;
    }
    const { 'x-api-key': apiKey } = request.headers;
    const acceptsBearer = schemes.includes(BEARER_SCHEME);
    const acceptsKey = schemes.includes(API_KEY_SCHEME);
    if (acceptsBearer && authorization && /^bearer\b/i.test(authorization)) {
      await this.bearer.canActivate(context);
    } else if (acceptsKey && apiKey !== undefined) {
      // Passport reads each key once; its later uses do not need it.
      const known = typeof apiKey === 'string' ? this.keys.authenticateKnown(apiKey) : undefined;
      if (known) return known;
      const response = context.switchToHttp().getResponse<Response>();
      await this.failures.run('keyFailures', request, response, async () => {
        await this.apiKey.canActivate(context);
      });
    } else throw new CredentialsMissingError({ acceptsBearer, acceptsKey, acceptsBearerKey });
    return request.user!;
  }
}
