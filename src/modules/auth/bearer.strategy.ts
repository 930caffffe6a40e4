import { Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
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
import { type AccessClaims, claimsOf, kidOf } from './tokens.js';
import { type VerifiedToken, VerifiedTokens } from './verified-tokens.js';

/** How far another machine's clock may be ahead when it signed, in seconds. */
const FUTURE_LEEWAY_S = 30;

/** Several times what a token of ours can have; a longer one is not read. */
const MAX_TOKEN_LENGTH = 4_096;

const tokenOf = ExtractJwt.fromAuthHeaderAsBearerToken();

/** `Authorization: Bearer`: an access token of ours, whose session lives at this very request. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  private readonly verified = new VerifiedTokens();

  constructor(
    private readonly keys: SigningKeys,
    config: Config,
    private readonly sessions: SessionsService,
  ) {
    super({
      jwtFromRequest: tokenOf,
      passReqToCallback: true,
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

  /** Only a token that is new here goes through passport-jwt, and so through the verification of its signature. */
  override authenticate(request: Request, options?: unknown): void {
    const token = tokenOf(request) ?? '';
    if (token.length > MAX_TOKEN_LENGTH) {
      this.fail(new Error('longer than any token of ours'), 401);
      return;
    }
    const verified = this.verified.find(token);
    if (!verified) super.authenticate(request, options);
    else this.judgeAgain(verified).then(this.success.bind(this), this.error.bind(this));
  }

  /** Called by passport-jwt once the signature, the issuer, the audience and the time have been found right. */
  validate(request: Request, signed: unknown): Promise<Principal> {
    const token = tokenOf(request)!;
    const claims = believed(signed);
    this.verified.add(token, { claims, kid: kidOf(token, 'access')! });
    return this.judge(claims);
  }

  private async judgeAgain({ kid, claims }: VerifiedToken): Promise<Principal> {
    if (!(await this.keys.find('access', kid)))
      throw new InvalidAccessTokenError('not signed by an access key of ours');
    return this.judge(claims);
  }

  private async judge(claims: AccessClaims): Promise<Principal> {
    if (claims.iat > Date.now() / 1000 + FUTURE_LEEWAY_S) throw new InvalidAccessTokenError('issued in the future');
    const { workspaceIds } = await this.sessions.getActive(claims.sub, claims.sid);
    const scopes = claims.scope.split(' ').filter(isScope);
    return { userId: claims.sub, clientId: claims.client_id, sessionId: claims.sid, workspaceIds, scopes };
  }
}

/** @throws {InvalidAccessTokenError} */
function believed(signed: unknown): AccessClaims {
  try {
    return claimsOf('access', signed);
  } catch (error) {
    throw new InvalidAccessTokenError((error as Error).message);
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
