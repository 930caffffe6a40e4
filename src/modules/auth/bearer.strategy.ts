import { Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { Strategy } from 'passport-jwt';
import { Config } from '../../platform/config/config.js';
import { isDatabaseUnavailable } from '../../platform/database/database.errors.js';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import type { Identity } from '../../platform/security/principal.js';
import { isScope } from '../../platform/security/scopes.js';
import { findNamedWorkspace } from '../../platform/security/workspace-access.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { ExpiredAccessTokenError, InvalidAccessTokenError } from './auth.errors.js';
import { IssuerTokensService } from './issuer-tokens.service.js';
import { ALGORITHM } from './signing-key.entity.js';
import { SigningKeysService } from './signing-keys.service.js';
import { type AccessClaims, parseClaims, readKid } from './token-codec.js';

/** How many seconds the clock of the signing instance may be ahead. */
const FUTURE_LEEWAY_S = 30;

/** Several times the length of an own access token; a longer one is not read. */
const MAX_TOKEN_LENGTH = 4_096;

const UNKNOWN_KEY = 'not signed by a key of this service for access tokens';

/** The whole header (RFC 6750, section 2.1): passport-jwt's own reader ignores what follows the token. */
const AUTHORIZATION = /^Bearer[ \t]+([\w.~+/-]+=*)$/i;

const readToken = ({ headers }: Request): string | null => AUTHORIZATION.exec(headers.authorization ?? '')?.[1] ?? null;

/**
 * Authenticates `Authorization: Bearer`, in this order:
 *
 * 1. The signature, issuer, audience and expiry are verified by passport-jwt; only the first use of a token verifies
 *    the signature, later uses find it in `VerifiedTokens`.
 * 2. The key that signed the token still verifies.
 * 3. The token was not issued in the future.
 * 4. The session is active, and its user's workspaces are read, or only the one that the request names. This is one
 *    database read for every request.
 */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  private readonly verified = new VerifiedTokens();

  constructor(
    private readonly keys: SigningKeysService,
    config: Config,
    private readonly sessions: SessionsService,
    private readonly issuers: IssuerTokensService,
  ) {
    super({
      jwtFromRequest: readToken,
      passReqToCallback: true,
      algorithms: [ALGORITHM],
      issuer: config.http.publicUrl,
      audience: config.http.publicUrl,
      secretOrKeyProvider: (_request: unknown, token: string, done: (error: unknown, key?: string) => void) => {
        keys.find('access', readKid(token, 'access')).then((key) => {
          // passport-jwt passes the key on to jsonwebtoken, which accepts key objects; only its types require a string.
          if (key) done(null, key as unknown as string);
          else done(new Error(UNKNOWN_KEY));
        }, done);
      },
    });
  }

  override authenticate(request: Request, options?: unknown): void {
    const known = this.authenticateKnown(request);
    if (known) known.then(this.success.bind(this), this.error.bind(this));
    else if ((readToken(request) ?? '').length > MAX_TOKEN_LENGTH)
      this.fail(new Error(`longer than ${MAX_TOKEN_LENGTH} characters`), 401);
    else super.authenticate(request, options);
  }

  /**
   * The caller of a request whose token passport has verified before, or another issuer has issued; undefined for any
   * other token.
   *
   * @throws {DomainError} 401, or 403 if the subject of another issuer is not a member of any workspace.
   */
  private authenticateKnown(request: Request): Promise<Identity> | undefined {
    const token = readToken(request) ?? '';
    const verified = this.verified.find(token);
    return verified ? this.authenticateVerified(request, verified) : this.issuers.authenticate(request, token);
  }

  /** Called by passport-jwt after it has verified signature, issuer, audience and expiry. */
  validate(request: Request, payload: unknown): Promise<Identity> {
    const token = readToken(request)!;
    const claims = validateClaims(payload);
    this.verified.add(token, { claims, kid: readKid(token, 'access')! });
    return this.loadPrincipal(request, claims);
  }

  private async authenticateVerified(request: Request, { kid, claims }: VerifiedToken): Promise<Identity> {
    if (!(await this.keys.find('access', kid))) throw new InvalidAccessTokenError(UNKNOWN_KEY);
    return this.loadPrincipal(request, claims);
  }

  private async loadPrincipal(request: Request, claims: AccessClaims): Promise<Identity> {
    if (claims.iat > Date.now() / 1000 + FUTURE_LEEWAY_S) throw new InvalidAccessTokenError('issued in the future');
    const { memberships } = await this.sessions.getActive(claims.sub, claims.sid, findNamedWorkspace(request));
    const scopes = claims.scope.split(' ').filter(isScope);
    return { userId: claims.sub, clientId: claims.client_id, sessionId: claims.sid, memberships, scopes };
  }
}

/** @throws {InvalidAccessTokenError} */
function validateClaims(payload: unknown): AccessClaims {
  try {
    return parseClaims('access', payload);
  } catch (error) {
    throw new InvalidAccessTokenError((error as Error).message);
  }
}

/** Translates the results of passport into the errors of the specification (section 7). */
@Injectable()
export class BearerGuard extends AuthGuard('bearer') {
  override handleRequest<User>(error: unknown, principal: User | false, info: unknown): User {
    if (error instanceof DomainError) throw error;
    if (info instanceof jwt.TokenExpiredError) throw new ExpiredAccessTokenError();
    // If the keys cannot be read, the token may be valid.
    if (isDatabaseUnavailable(info)) throw info as Error;
    if (error) throw error as Error;
    if (!principal) throw new InvalidAccessTokenError(info instanceof Error ? info.message : undefined);
    return principal;
  }
}

/** A token and its claims have about 600 characters each, so a full cache takes about 20 million bytes. */
const MAX_TOKENS = 10_000;

export interface VerifiedToken {
  claims: AccessClaims;
  /** The key that signed the token. It may be retired before the next use. */
  kid: string;
}

/**
 * Caches tokens whose signature is correct: that never changes, and verifying it is the most expensive step of a
 * request. Everything that can change is checked on every use.
 */
export class VerifiedTokens {
  private readonly byToken = new LRUCache<string, VerifiedToken>({ max: MAX_TOKENS });

  add(token: string, verified: VerifiedToken): void {
    this.byToken.set(token, verified);
  }

  /** Finds exactly this token while it is valid by time. */
  find(token: string): VerifiedToken | undefined {
    const verified = this.byToken.get(token);
    if (verified && !isValidNow(verified.claims)) {
      this.byToken.delete(token);
      return undefined;
    }
    return verified;
  }

  get size(): number {
    return this.byToken.size;
  }
}

/** Compares whole seconds without leeway, as jsonwebtoken does. */
function isValidNow({ exp, nbf = 0 }: AccessClaims): boolean {
  const now = Math.floor(Date.now() / 1000);
  return nbf <= now && now < exp;
}
