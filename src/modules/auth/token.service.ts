import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import type { Scope } from '../../platform/security/scopes.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { AUTH_ERRORS, InvalidClientError, InvalidTokenRequestError } from './auth.errors.js';
import { ClientAuthenticator, type ClientCredentials } from './client-authenticator.js';
import { TokenRequestDto, TokenResponseDto } from './dto/token.dto.js';
import { RefreshTokenGrant } from './refresh-token-grant.js';
import { type GrantedTokens, grantScopes, TokenCodec, type VerifiedRefreshToken } from './token-codec.js';

/** The scopes of a sign-in whose request names none. */
const DEFAULT_SCOPES: readonly Scope[] = ['api'];

export type Grant = 'password' | 'refresh_token' | 'client_credentials';

/** The token endpoint (specification, section 4.1). */
@Injectable()
export class TokenService {
  constructor(
    private readonly clients: ClientAuthenticator,
    private readonly sessions: SessionsService,
    private readonly tokens: TokenCodec,
    private readonly refreshTokenGrant: RefreshTokenGrant,
    private readonly config: Config,
  ) {}

  /**
   * Issues tokens for a request of one of the grants.
   *
   * @param refreshToken the result of verifying `refresh_token`; undefined if the request has none.
   * @param grants the grants that the content type of the request allows.
   * @throws {DomainError} an error of section 7 of the specification, or one that names the missing parameter.
   */
  async issue(
    request: TokenRequestDto,
    credentials: ClientCredentials | undefined,
    refreshToken: VerifiedRefreshToken | undefined,
    grants: readonly Grant[],
  ): Promise<TokenResponseDto> {
    const granted = await this.execute(selectGrant(request, grants), request, credentials, refreshToken);
    return {
      access_token: granted.accessToken,
      token_type: 'Bearer',
      expires_in: this.config.tokens.accessTtlS,
      refresh_token: granted.refreshToken,
      scope: granted.scopes.join(' '),
    };
  }

  private execute(
    grant: Grant,
    request: TokenRequestDto,
    credentials: ClientCredentials | undefined,
    refreshToken: VerifiedRefreshToken | undefined,
  ): Promise<GrantedTokens> {
    switch (grant) {
      case 'password':
        return this.signIn(request, credentials, { isRefreshable: true });
      case 'client_credentials':
        return this.signIn(request, credentials, { isRefreshable: false });
      case 'refresh_token':
        return this.refreshTokenGrant.execute(request, refreshToken, credentials);
    }
  }

  /**
   * Opens a session. A session without a refresh token expires with its access token, and then no longer counts towards
   * the limit of sessions per user.
   */
  private async signIn(
    request: TokenRequestDto,
    credentials: ClientCredentials | undefined,
    { isRefreshable }: { isRefreshable: boolean },
  ): Promise<GrantedTokens> {
    if (!credentials) throw new InvalidClientError('no credentials');
    const { accessTtlS, refreshTtlS } = this.config.tokens;
    const lifetimeS = isRefreshable ? refreshTtlS : accessTtlS;
    const content = await this.clients.authenticateLocked(credentials, async ({ clientId, userId, allowedScopes }) => {
      const scopes = grantScopes(request.scope, allowedScopes, DEFAULT_SCOPES);
      return { ...(await this.sessions.open(userId, clientId, scopes, lifetimeS)), clientId, scopes };
    });
    return {
      accessToken: this.tokens.signAccessToken(content),
      refreshToken: isRefreshable ? this.tokens.signRefreshToken(content) : undefined,
      scopes: content.scopes,
    };
  }
}

/** @throws {InvalidTokenRequestError} */
function selectGrant(request: TokenRequestDto, grants: readonly Grant[]): Grant {
  const selected = grants.find((grant) => grant === request.grant_type);
  if (selected) return selected;
  const allowed = new Intl.ListFormat('en', { type: 'disjunction' }).format(grants);
  // A parameter without a value counts as omitted (RFC 6749, section 3.2).
  if (!request.grant_type) throw new InvalidTokenRequestError(`grant_type is missing. Send ${allowed}.`);
  throw new InvalidTokenRequestError(`grant_type must be ${allowed}.`, AUTH_ERRORS.unsupported_grant_type);
}
