import { Injectable } from '@nestjs/common';
import { InvalidRefreshTokenError } from '../sessions/sessions.errors.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { InvalidTokenRequestError } from './auth.errors.js';
import { ClientAuthenticator, type ClientCredentials } from './client-authenticator.js';
import { TokenRequestDto } from './dto/token.dto.js';
import { type GrantedTokens, grantScopes, TokenCodec, type VerifiedRefreshToken } from './token-codec.js';

/**
 * `grant_type: refresh_token` (specification, sections 3 and 4.1): exchanges the latest refresh token for a new pair.
 */
@Injectable()
export class RefreshTokenGrant {
  constructor(
    private readonly clients: ClientAuthenticator,
    private readonly sessions: SessionsService,
    private readonly tokens: TokenCodec,
  ) {}

  /**
   * The checks before step 5 consume nothing: a client that fails them can repeat the request with the same token.
   *
   * @param verified the result of verifying `refresh_token`; undefined if the request has none.
   * @throws {InvalidTokenRequestError | InvalidRefreshTokenError | InvalidClientError | DomainError} `invalid_scope`
   * @throws {RefreshTokenReusedError | SessionRevokedError}
   */
  async execute(
    request: TokenRequestDto,
    verified: VerifiedRefreshToken | undefined,
    credentials: ClientCredentials | undefined,
  ): Promise<GrantedTokens> {
    // 1. The request has a refresh token that this service signed.
    if (!verified) throw new InvalidTokenRequestError('refresh_token is missing.');
    if (!verified.claims) throw new InvalidRefreshTokenError(verified.reason);
    const used = verified.claims;

    // 2. Reuse takes precedence over wrong credentials and an invalid scope, because it must be detected "at any time"
    // (section 3).
    if (credentials || request.scope) await this.sessions.rejectReuse(used);

    // 3. Credentials are optional; if they are sent, they must be correct and belong to the client of the session.
    if (credentials) {
      const client = await this.clients.authenticate(credentials);
      if (client.clientId !== used.clientId) throw new InvalidRefreshTokenError('issued to another client');
    }

    // 4. The scope may be narrowed, never widened.
    const scopes = grantScopes(request.scope, used.scopes, used.scopes);

    // 5. The token is consumed and its successor is recorded, atomically. A reused token revokes all sessions of the
    // user.
    const next = await this.sessions.rotate(used);

    // 6. The new refresh token has all scopes of the session, so that a later refresh may request them again.
    const { clientId } = used;
    return {
      accessToken: this.tokens.signAccessToken({ ...next, clientId, scopes }),
      refreshToken: this.tokens.signRefreshToken({ ...next, clientId }),
      scopes,
    };
  }
}
