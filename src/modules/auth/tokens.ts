import { Injectable } from '@nestjs/common';
import jwt from 'jsonwebtoken';
import { v7 as uuid } from 'uuid';
import { z } from 'zod';
import { Config } from '../../platform/config/config.js';
import type { Scope } from '../../platform/security/scopes.js';
import { TOKEN_PATH } from './token-path.js';
import type { RefreshReference } from '../sessions/sessions.service.js';
import { InvalidRefreshTokenError } from '../sessions/sessions.errors.js';
import type { KeyUse } from './signing-key.entity.js';
import { ALGORITHM } from './signing-key-pair.js';
import { SigningKeys } from './signing-keys.service.js';

/** The `typ` of each token's header: an access token is never taken for a refresh token, nor the other way round. */
export const TOKEN_TYPE: Record<KeyUse, string> = { access: 'at+jwt', refresh: 'rt+jwt' };

/** What every token of ours says. */
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

/** A refresh token also says its generation. */
const REFRESH_CLAIMS = ACCESS_CLAIMS.extend({ gen: z.int32().nonnegative() });

export type AccessClaims = z.output<typeof ACCESS_CLAIMS>;
export type RefreshTokenClaims = z.output<typeof REFRESH_CLAIMS>;

/**
 * The claims under a signature of ours, which are believed only where they are what a token of this use says.
 *
 * @throws Error naming the claims that are not.
 */
export function claimsOf(use: 'refresh', claims: unknown): RefreshTokenClaims;
export function claimsOf(use: KeyUse, claims: unknown): AccessClaims;
export function claimsOf(use: KeyUse, claims: unknown): AccessClaims {
  const { data, error } = (use === 'access' ? ACCESS_CLAIMS : REFRESH_CLAIMS).safeParse(claims);
  if (error) throw new Error(`not what a token says: ${error.issues.map(({ path }) => path.join('.')).join(', ')}`);
  return data;
}

/** The session that a token belongs to. */
export interface TokenSession {
  userId: string;
  clientId: string;
  sessionId: string;
}

export interface RefreshClaims extends RefreshReference {
  clientId: string;
  scopes: Scope[];
}

/** Mints tokens, and reads refresh tokens. Both are JWTs signed with ES256. */
@Injectable()
export class Tokens {
  private readonly issuer: string;

  constructor(
    private readonly keys: SigningKeys,
    private readonly config: Config,
  ) {
    this.issuer = config.http.publicUrl;
  }

  access(claims: { userId: string; clientId: string; sessionId: string; scopes: readonly Scope[] }): string {
    return this.sign('access', this.config.tokens.accessTtlS, claims.userId, {
      client_id: claims.clientId,
      sid: claims.sessionId,
      scope: claims.scopes.join(' '),
      jti: uuid(),
    });
  }

  refresh(claims: RefreshClaims): string {
    return this.sign('refresh', this.config.tokens.refreshTtlS, claims.userId, {
      client_id: claims.clientId,
      sid: claims.sessionId,
      scope: claims.scopes.join(' '),
      gen: claims.generation,
      jti: claims.tokenId,
    });
  }

  /**
   * Reads a refresh token of ours, whether or not its time is over: "already used" is said of an expired one too, and
   * the session knows its time.
   *
   * @throws {InvalidRefreshTokenError}
   */
  async readRefresh(token: string): Promise<RefreshClaims> {
    const claims = await this.read('refresh', token);
    if (claims instanceof Error) throw new InvalidRefreshTokenError(claims.message);
    return {
      userId: claims.sub,
      clientId: claims.client_id,
      sessionId: claims.sid,
      generation: claims.gen,
      tokenId: claims.jti,
      scopes: claims.scope.split(' ') as Scope[],
    };
  }

  /** The session a token of ours belongs to, whether or not its time is over; undefined for any other token. */
  async findSession(token: string, uses: readonly KeyUse[] = ['refresh', 'access']): Promise<TokenSession | undefined> {
    for (const use of uses) {
      const claims = await this.read(use, token);
      if (!(claims instanceof Error)) {
        return { userId: claims.sub, clientId: claims.client_id, sessionId: claims.sid };
      }
    }
    return undefined;
  }

  /** What is wrong with the token is returned; what is thrown, such as that no key can be looked up, says nothing of it. */
  private async read(use: 'refresh', token: string): Promise<RefreshTokenClaims | Error>;
  private async read(use: KeyUse, token: string): Promise<AccessClaims | Error>;
  private async read(use: KeyUse, token: string): Promise<AccessClaims | Error> {
    const key = await this.keys.find(use, kidOf(token, use));
    if (!key) return new Error(`not signed by a key of ours for ${use} tokens`);
    try {
      const signed = jwt.verify(token, key, {
        algorithms: [ALGORITHM],
        issuer: this.issuer,
        audience: this.audience(use),
        ignoreExpiration: true,
      });
      return claimsOf(use, signed);
    } catch (error) {
      return error as Error;
    }
  }

  private audience(use: KeyUse): string {
    return use === 'refresh' ? this.issuer + TOKEN_PATH : this.issuer;
  }

  private sign(use: KeyUse, ttlS: number, subject: string, claims: object): string {
    const { privateKey, kid } = this.keys.signing(use);
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

/** The `kid` of a token's header, where the header says what a token of this use must say; any other is not read. */
export function kidOf(token: string, use: KeyUse): string | undefined {
  try {
    const header = JSON.parse(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString()) as Record<
      string,
      unknown
    >;
    const ours = header['typ'] === TOKEN_TYPE[use] && header['alg'] === ALGORITHM && typeof header['kid'] === 'string';
    // What a header calls critical must be understood (RFC 7515, section 4.1.11), and none of ours does.
    return ours && header['crit'] === undefined ? (header['kid'] as string) : undefined;
  } catch {
    return undefined;
  }
}
