import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import type { Principal } from '../../platform/security/principal.js';
import { anyGrants, isScope, type Scope } from '../../platform/security/scopes.js';
import { InvalidRefreshTokenError } from '../sessions/sessions.errors.js';
import { type RefreshReference, SessionsService } from '../sessions/sessions.service.js';
import { InvalidClientError, InvalidScopeError, InvalidTokenRequestError } from './auth.errors.js';
import { type ClientCredentials, ClientsService } from './clients.service.js';
import { TokenRequestDto, TokenResponseDto } from './dto/token.dto.js';
import { type RefreshClaims, Tokens } from './tokens.js';

/** The grants of the token endpoint (specification, section 4.1). */
@Injectable()
export class TokenService {
  constructor(
    private readonly clients: ClientsService,
    private readonly sessions: SessionsService,
    private readonly tokens: Tokens,
    private readonly config: Config,
  ) {}

  async issue(request: TokenRequestDto, credentials: ClientCredentials | undefined): Promise<TokenResponseDto> {
    // A parameter without a value counts as left out (RFC 6749, section 3.2).
    switch (request.grant_type || undefined) {
      case 'password':
        return this.signIn(request, credentials);
      case 'refresh_token':
        return this.refresh(request, credentials);
      case undefined:
        throw new InvalidTokenRequestError('grant_type is missing; it is password or refresh_token.');
      default:
        throw new InvalidTokenRequestError('grant_type must be password or refresh_token.', 'unsupported_grant_type');
    }
  }

  /** Ends the caller's session. @throws {InvalidTokenRequestError} where the caller has none, having come with an API key. */
  async logout({ userId, sessionId }: Principal): Promise<void> {
    if (!sessionId) throw new InvalidTokenRequestError('An API key has no session to end; send the access token.');
    await this.sessions.revoke(userId, sessionId, 'logout');
  }

  private async signIn(
    request: TokenRequestDto,
    credentials: ClientCredentials | undefined,
  ): Promise<TokenResponseDto> {
    if (!credentials) throw new InvalidClientError('no credentials');
    const client = await this.clients.authenticate(credentials);
    const scopes = grantedScopes(request.scope, client.allowedScopes, ['api']);
    const reference = await this.sessions.open(client.userId, client.clientId, scopes);
    return this.pair(reference, client.clientId, scopes, scopes);
  }

  private async refresh(
    request: TokenRequestDto,
    credentials: ClientCredentials | undefined,
  ): Promise<TokenResponseDto> {
    if (!request.refresh_token) throw new InvalidTokenRequestError('refresh_token is missing.');
    const used = await this.tokens.readRefresh(request.refresh_token);
    if (credentials) await this.requireOwner(used, credentials);
    // "Already used" is said at any time (specification, section 3), also where the scope is wrong too.
    if (request.scope) await this.sessions.refuseUsed(used);
    const scopes = grantedScopes(request.scope, used.scopes, used.scopes);
    const next = await this.sessions.rotate(used);
    return this.pair(next, used.clientId, next.scopes, scopes);
  }

  /** Credentials sent with a refresh must be right, and the token must be theirs, before anything is consumed. */
  private async requireOwner(used: RefreshClaims, credentials: ClientCredentials): Promise<void> {
    const client = await this.clients.authenticate(credentials);
    if (client.clientId !== used.clientId) throw new InvalidRefreshTokenError("another client's token");
  }

  private pair(reference: RefreshReference, clientId: string, session: Scope[], access: Scope[]): TokenResponseDto {
    return {
      access_token: this.tokens.access({ ...reference, clientId, scopes: access }),
      token_type: 'Bearer',
      expires_in: this.config.tokens.accessTtlS,
      refresh_token: this.tokens.refresh({ ...reference, clientId, scopes: session }),
      scope: access.join(' '),
    };
  }
}

/** The scopes asked for, each once, where all of them are known and granted. @throws {InvalidScopeError} */
function grantedScopes(asked: string[] | undefined, allowed: readonly Scope[], otherwise: readonly Scope[]): Scope[] {
  const scopes = [...new Set(asked ?? otherwise)];
  const granted = scopes.filter((scope): scope is Scope => isScope(scope) && anyGrants(allowed, scope));
  if (granted.length === 0 || granted.length < scopes.length) throw new InvalidScopeError();
  return granted;
}
