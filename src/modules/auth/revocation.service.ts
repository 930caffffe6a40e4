import { Injectable } from '@nestjs/common';
import type { Principal } from '../../platform/security/principal.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { InvalidClientError, InvalidTokenRequestError, TokenOfAnotherClientError } from './auth.errors.js';
import { type ClientCredentials, ClientsService } from './clients.service.js';
import { Tokens } from './tokens.js';

/** The ways to end a session by one of its tokens. */
@Injectable()
export class RevocationService {
  constructor(
    private readonly clients: ClientsService,
    private readonly sessions: SessionsService,
    private readonly tokens: Tokens,
  ) {}

  /** Ends the caller's session. @throws {InvalidTokenRequestError} where the caller has none, having come with an API key. */
  async logout({ userId, sessionId }: Principal): Promise<void> {
    if (!sessionId) throw new InvalidTokenRequestError('An API key has no session to end; send the access token.');
    await this.sessions.revoke(userId, sessionId, 'logout');
  }

  /**
   * Ends the session that the token belongs to (RFC 7009). A token that is none, or none any more, needs no ending: that
   * is a success too.
   *
   * @throws {InvalidTokenRequestError | InvalidClientError | TokenOfAnotherClientError}
   */
  async revoke(token: string | undefined, credentials: ClientCredentials | undefined): Promise<void> {
    if (!token) throw new InvalidTokenRequestError('token is missing.');
    if (!credentials) throw new InvalidClientError('no credentials');
    const client = await this.clients.authenticate(credentials);
    const session = await this.tokens.findSession(token);
    if (!session) return;
    if (session.clientId !== client.clientId) throw new TokenOfAnotherClientError();
    await this.sessions.revoke(session.userId, session.sessionId, 'revocation');
  }
}
