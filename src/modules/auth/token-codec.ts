import { Injectable } from '@nestjs/common';
import jwt from 'jsonwebtoken';
import { DTO_LIMITS } from '../../../packages/json/src/json-structure.js';
import { parseJson } from '../../../packages/json/src/json-parser.js';
import { uuid } from '../../../packages/sql/src/uuid.js';
import * as z from 'zod';
import { Config } from '../../platform/config/config.js';
import { grantsAny, isScope, type Scope } from '../../platform/security/scopes.js';
import type { RefreshReference } from '../sessions/sessions.service.js';
import { AUTH_ERRORS } from './auth.errors.js';
import { ALGORITHM, type KeyUse } from './signing-key.entity.js';
import { SigningKeysService } from './signing-keys.service.js';
import { DomainError } from '../../../packages/errors/src/domain-error.js';

/**
 * Path of the token endpoint (specification, section 4.1): in claims of tokens, in discovery and in the OpenAPI
 * document.
 */
export const TOKEN_PATH = '/v1/api/oauth2/token';

/** The `typ` header of each token, so that an access token is never accepted as a refresh token or vice versa. */
const TOKEN_TYPE: Record<KeyUse, string> = { access: 'at+jwt', refresh: 'rt+jwt' };

const ACCESS_CLAIMS = z.object({
  sub: z.uuid(),
  client_id: z.string(),
  sid: z.uuid(),
  jti: z.uuid(),
  scope: z.string(),
  iat: z.int(),
  exp: z.int(),
  nbf: z.int().optional(),
});

const REFRESH_CLAIMS = ACCESS_CLAIMS.extend({ gen: z.int32().nonnegative() });

export type AccessClaims = z.output<typeof ACCESS_CLAIMS>;
type RefreshTokenClaims = z.output<typeof REFRESH_CLAIMS>;

/**
 * Validates the claims of a token with a correct signature.
 *
 * @throws Error that names the invalid claims.
 */
export function parseClaims(use: 'refresh', claims: unknown): RefreshTokenClaims;
export function parseClaims(use: KeyUse, claims: unknown): AccessClaims;
export function parseClaims(use: KeyUse, claims: unknown): AccessClaims {
  const { data, error } = (use === 'access' ? ACCESS_CLAIMS : REFRESH_CLAIMS).safeParse(claims);
  if (error) throw new Error(`invalid claims: ${error.issues.map(({ path }) => path.join('.')).join(', ')}`);
  return data;
}

/** The session that a token belongs to. */
export interface TokenSession {
  userId: string;
  clientId: string;
  sessionId: string;
}

/** The content of a refresh token. */
export interface RefreshClaims extends RefreshReference {
  clientId: string;
  scopes: Scope[];
}

/** The result of verifying a refresh token: its content, or why it is not a refresh token of this service. */
export type VerifiedRefreshToken =
  { claims: RefreshClaims; reason?: undefined } | { claims?: undefined; reason: string };

/** The tokens that a grant issues. */
export interface GrantedTokens {
  accessToken: string;
  /** Absent for `client_credentials`. */
  refreshToken?: string;
  /** The scopes of the access token. */
  scopes: readonly Scope[];
}

/** Signs access and refresh tokens, and verifies refresh tokens. The tokens are JWTs signed with ES256. */
@Injectable()
export class TokenCodec {
  private readonly issuer: string;

  constructor(
    private readonly keys: SigningKeysService,
    private readonly config: Config,
  ) {
    this.issuer = config.http.publicUrl;
  }

  signAccessToken(claims: TokenSession & { scopes: readonly Scope[] }): string {
    return this.sign('access', this.config.tokens.accessTtlS, claims.userId, {
      client_id: claims.clientId,
      sid: claims.sessionId,
      scope: claims.scopes.join(' '),
      jti: uuid(),
    });
  }

  signRefreshToken(claims: RefreshClaims): string {
    return this.sign('refresh', this.config.tokens.refreshTtlS, claims.userId, {
      client_id: claims.clientId,
      sid: claims.sessionId,
      scope: claims.scopes.join(' '),
      gen: claims.generation,
      jti: claims.tokenId,
    });
  }

  /**
   * Verifies the signature and the claims of a refresh token, but not whether it has expired: reuse must be detected
   * even for an expired token, and the session knows when it expires.
   */
  async verifyRefreshToken(token: string): Promise<VerifiedRefreshToken> {
    const claims = await this.verify('refresh', token);
    if (claims instanceof Error) return { reason: claims.message };
    return {
      claims: {
        userId: claims.sub,
        clientId: claims.client_id,
        sessionId: claims.sid,
        generation: claims.gen,
        tokenId: claims.jti,
        scopes: claims.scope.split(' ') as Scope[],
      },
    };
  }

  /** The session of an access token or refresh token of this service, expired or not; undefined for any other token. */
  async findSession(token: string, uses: readonly KeyUse[] = ['refresh', 'access']): Promise<TokenSession | undefined> {
    for (const use of uses) {
      const claims = await this.verify(use, token);
      if (!(claims instanceof Error)) {
        return { userId: claims.sub, clientId: claims.client_id, sessionId: claims.sid };
      }
    }
    return undefined;
  }

  /**
   * Returns an error that concerns the token. It throws only if verification is impossible, for example because the
   * keys cannot be read; the token may then be valid.
   */
  private async verify(use: 'refresh', token: string): Promise<RefreshTokenClaims | Error>;
  private async verify(use: KeyUse, token: string): Promise<AccessClaims | Error>;
  private async verify(use: KeyUse, token: string): Promise<AccessClaims | Error> {
    const key = await this.keys.find(use, readKid(token, use));
    if (!key) return new Error(`not signed by a key of this service for ${use} tokens`);
    try {
      const signed = jwt.verify(token, key, {
        algorithms: [ALGORITHM],
        issuer: this.issuer,
        audience: this.audience(use),
        ignoreExpiration: true,
      });
      return parseClaims(use, signed);
    } catch (error) {
      return error as Error;
    }
  }

  private audience(use: KeyUse): string {
    return use === 'refresh' ? this.issuer + TOKEN_PATH : this.issuer;
  }

  private sign(use: KeyUse, ttlS: number, subject: string, claims: object): string {
    const { privateKey, kid } = this.keys.getSigningKey(use);
    return jwt.sign(claims, privateKey, {
      algorithm: ALGORITHM,
      header: { alg: ALGORITHM, typ: TOKEN_TYPE[use], kid },
      issuer: this.issuer,
      audience: this.audience(use),
      subject,
      expiresIn: ttlS,
    });
  }
}

/** The `kid` in the header of a token; undefined if the header is not that of a token of this use. */
export function readKid(token: string, use: KeyUse): string | undefined {
  try {
    const header = Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString();
    const { typ, alg, kid, crit } = parseJson(header, DTO_LIMITS) as Record<string, unknown>;
    // A critical header must be understood (RFC 7515, section 4.1.11), and this service defines none.
    const isExpected = typ === TOKEN_TYPE[use] && alg === ALGORITHM && crit === undefined;
    return isExpected && typeof kid === 'string' ? kid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The scopes of a new access token, each once.
 *
 * @param requested undefined means the default scopes; an empty list is invalid.
 * @throws {DomainError} `invalid_scope` if a requested scope is unknown or not allowed.
 */
export function grantScopes(
  requested: readonly string[] | undefined,
  allowed: readonly Scope[],
  defaultScopes: readonly Scope[],
): Scope[] {
  const scopes = [...new Set(requested ?? defaultScopes)];
  const granted = scopes.filter((scope): scope is Scope => isScope(scope) && grantsAny(allowed, scope));
  if (granted.length === 0 || granted.length < scopes.length) throw new DomainError(AUTH_ERRORS.invalid_scope);
  return granted;
}
