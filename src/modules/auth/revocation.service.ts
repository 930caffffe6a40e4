import { Injectable } from '@nestjs/common';
import type { Principal } from '../../platform/security/principal.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { FORBIDDEN_GRANT } from '../sessions/sessions.errors.js';
import { InvalidClientError, InvalidTokenRequestError } from './auth.errors.js';
import { ClientAuthenticator, type ClientCredentials } from './client-authenticator.js';
import { TokenCodec } from './token-codec.js';
import { DomainError } from '../../../packages/errors/src/domain-error.js';

const NO_SESSION = 'The access token is of a trusted issuer, so it has no session here. Sign out at the issuer.';

/** Revokes a session by one of its tokens. */
@Injectable()
export class RevocationService {
  constructor(
    private readonly clients: ClientAuthenticator,
    private readonly sessions: SessionsService,
    private readonly tokens: TokenCodec,
  ) {}

  /** Revokes the caller's session. @throws {InvalidTokenRequestError} for an access token of a trusted issuer */
  async logout({ userId, sessionId }: Principal): Promise<void> {
    if (!sessionId) throw new InvalidTokenRequestError(NO_SESSION);
    await this.sessions.revoke(userId, sessionId, 'logout');
  }

  /**
   * Revokes the session of the token (RFC 7009). An invalid, expired or already revoked token is a success too.
   *
   * @throws {InvalidTokenRequestError | InvalidClientError | DomainError} `invalid_grant`
   */
  async revoke(token: string | undefined, credentials: ClientCredentials | undefined): Promise<void> {
    if (!token) throw new InvalidTokenRequestError('token is missing.');
    if (!credentials) throw new InvalidClientError('no credentials');
    const client = await this.clients.authenticate(credentials);
    const session = await this.tokens.findSession(token);
    if (!session) return;
    // Only the client that opened a session may revoke it by token (RFC 7009, section 2.1).
    if (session.clientId !== client.clientId)
      throw new DomainError(FORBIDDEN_GRANT, 'The token was issued to another client');
    await this.sessions.revoke(session.userId, session.sessionId, 'revocation');
  }
}
