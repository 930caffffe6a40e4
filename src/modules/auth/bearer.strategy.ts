import { Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import jwt from 'jsonwebtoken';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { Config } from '../../platform/config/config.js';
import { isDatabaseUnavailable } from '../../platform/database/database.errors.js';
import { DomainError } from '../../platform/http/domain-error.js';
import type { Principal } from '../../platform/security/principal.js';
import { isScope } from '../../platform/security/scopes.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { AccessTokenExpiredError, InvalidAccessTokenError } from './auth.errors.js';
import { ALGORITHM } from './signing-key-pair.js';
import { SigningKeys } from './signing-keys.service.js';
import { type AccessClaims, kidOf } from './tokens.js';

/** How far another machine's clock may be ahead when it signed, in seconds. */
const FUTURE_LEEWAY_S = 30;

/** `Authorization: Bearer`: an access token of ours, whose session lives at this very request. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(
    keys: SigningKeys,
    config: Config,
    private readonly sessions: SessionsService,
  ) {
    super({
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      algorithms: [ALGORITHM],
      issuer: config.http.publicUrl,
      audience: config.http.publicUrl,
      secretOrKeyProvider: (_request: unknown, token: string, done: (error: unknown, key?: string) => void) => {
        keys.find('access', kidOf(token, 'access')).then((key) => {
          // passport-jwt hands the key on to jsonwebtoken, which takes key objects; only its typings know strings alone.
          if (key) done(null, key as unknown as string);
          else done(new Error('not signed by an access key of ours'));
        }, done);
      },
    });
  }

  async validate(claims: AccessClaims): Promise<Principal> {
    if (claims.iat > Date.now() / 1000 + FUTURE_LEEWAY_S) throw new InvalidAccessTokenError('issued in the future');
    const { workspaceIds } = await this.sessions.getLive(claims.sub, claims.sid);
    const scopes = claims.scope.split(' ').filter(isScope);
    return { userId: claims.sub, clientId: claims.client_id, sessionId: claims.sid, workspaceIds, scopes };
  }
}

/** Puts passport's verdicts in the specification's words (section 7). */
@Injectable()
export class BearerGuard extends AuthGuard('bearer') {
  override handleRequest<Caller>(error: unknown, principal: Caller | false, info: unknown): Caller {
    if (error instanceof DomainError) throw error;
    if (info instanceof jwt.TokenExpiredError) throw new AccessTokenExpiredError();
    // A key that cannot be looked up right now says nothing about the token.
    if (isDatabaseUnavailable(info)) throw info as Error;
    if (error) throw error as Error;
    if (!principal) throw new InvalidAccessTokenError(info instanceof Error ? info.message : undefined);
    return principal;
  }
}
