import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { grantsAny, isScope, type Scope } from '../../platform/security/scopes.js';
import { InvalidRefreshTokenError } from '../sessions/sessions.errors.js';
import { type RefreshReference, SessionsService } from '../sessions/sessions.service.js';
import { InvalidClientError, InvalidScopeError, InvalidTokenRequestError } from './auth.errors.js';
import { type ClientCredentials, ClientsService } from './clients.service.js';
import { TokenRequestDto, TokenResponseDto } from './dto/token.dto.js';
import { type RefreshClaims, Tokens } from './tokens.js';

/** The grants that a face of the token endpoint takes. */
export type Grant = 'password' | 'refresh_token' | 'client_credentials';

/** The grants of the token endpoint (specification, section 4.1). */
@Injectable()
export class TokenService {
  constructor(
    private readonly database: Database,
    private readonly clients: ClientsService,
    private readonly sessions: SessionsService,
    private readonly tokens: Tokens,
    private readonly config: Config,
  ) {}

  /** @throws {DomainError} as section 7 of the specification has it, or saying what the request lacks. */
  async issue(
    request: TokenRequestDto,
    credentials: ClientCredentials | undefined,
    grants: readonly Grant[],
  ): Promise<TokenResponseDto> {
    // A parameter without a value counts as left out (RFC 6749, section 3.2).
    const asked = request.grant_type || undefined;
    if (!asked) throw new InvalidTokenRequestError(`grant_type is missing; it is ${either(grants)}.`);
    switch (grants.find((grant) => grant === asked)) {
      case 'password':
        return this.signIn(request, credentials, { refreshable: true });
      case 'client_credentials':
        return this.signIn(request, credentials, { refreshable: false });
      case 'refresh_token':
        return this.refresh(request, credentials);
      default:
        throw new InvalidTokenRequestError(`grant_type must be ${either(grants)}.`, 'unsupported_grant_type');
    }
  }

  /** A session that cannot be refreshed is over with its access token, and its place among the ten is free by then. */
  private async signIn(
    request: TokenRequestDto,
    credentials: ClientCredentials | undefined,
    { refreshable }: { refreshable: boolean },
  ): Promise<TokenResponseDto> {
    if (!credentials) throw new InvalidClientError('no credentials');
    const { accessTtlS, refreshTtlS } = this.config.tokens;
    // Wrong credentials take no lock: nobody can keep a client waiting by its id alone.
    const { clientId } = await this.clients.authenticate(credentials);
    return this.database.transaction(async () => {
      await this.clients.hold(clientId);
      const { userId, allowedScopes } = await this.clients.authenticate(credentials);
      const scopes = grantedScopes(request.scope, allowedScopes, ['api']);
      const reference = await this.sessions.open(userId, clientId, scopes, refreshable ? refreshTtlS : accessTtlS);
      return {
        ...this.accessOnly(reference, clientId, scopes),
        ...(refreshable && { refresh_token: this.tokens.refresh({ ...reference, clientId, scopes }) }),
      };
    });
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
    const { clientId } = used;
    return {
      ...this.accessOnly(next, clientId, scopes),
      refresh_token: this.tokens.refresh({ ...next, clientId }),
    };
  }

  /** Credentials sent with a refresh must be right, and the token must be theirs, before anything is consumed. */
  private async requireOwner(used: RefreshClaims, credentials: ClientCredentials): Promise<void> {
    const client = await this.clients.authenticate(credentials);
    if (client.clientId !== used.clientId) throw new InvalidRefreshTokenError("another client's token");
  }

  private accessOnly(reference: RefreshReference, clientId: string, scopes: Scope[]): TokenResponseDto {
    return {
      access_token: this.tokens.access({ ...reference, clientId, scopes }),
      token_type: 'Bearer',
      expires_in: this.config.tokens.accessTtlS,
      scope: scopes.join(' '),
    };
  }
}

function either(grants: readonly Grant[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(grants);
}

/** The scopes asked for, each once, where all of them are known and granted. @throws {InvalidScopeError} */
function grantedScopes(asked: string[] | undefined, allowed: readonly Scope[], otherwise: readonly Scope[]): Scope[] {
  const scopes = [...new Set(asked ?? otherwise)];
  const granted = scopes.filter((scope): scope is Scope => isScope(scope) && grantsAny(allowed, scope));
  if (granted.length === 0 || granted.length < scopes.length) throw new InvalidScopeError();
  return granted;
}
