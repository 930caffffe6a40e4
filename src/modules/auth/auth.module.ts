import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { Authenticator } from '../../platform/security/authenticator.js';
import { AccessPoliciesModule } from '../access-policies/access-policies.module.js';
import { AccessPoliciesService } from '../access-policies/access-policies.service.js';
import { AuditModule } from '../audit/audit.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { UsersModule } from '../users/users.module.js';
import { UsersService } from '../users/users.service.js';
import { AccessAudit } from './access-audit.js';
import { ApiKeyGuard, ApiKeyStrategy } from './api-key.strategy.js';
import { ApiKeyAuthenticator } from './api-key-authenticator.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { BearerGuard, BearerStrategy } from './bearer.strategy.js';
import { CallerApiKeysService } from './caller-api-keys.service.js';
import { ClientAuthenticator } from './client-authenticator.js';
import { ClientsService } from './clients.service.js';
import { CredentialsRepository } from './credentials.repository.js';
import { DiscoveryController } from './discovery.controller.js';
import { DiscoveryService } from './discovery.service.js';
import { IssuerTokensService } from './issuer-tokens.service.js';
import { OAuth2Controller } from './oauth2.controller.js';
import { PassportAuthenticator } from './passport-authenticator.js';
import { RefreshTokenGrant } from './refresh-token-grant.js';
import { RejectionAudit } from './rejection-audit.guard.js';
import { RevocationService } from './revocation.service.js';
import { SecretHasher } from './secrets.js';
import { SigningKeyRotationService } from './signing-key-rotation.service.js';
import { SigningKeysRepository } from './signing-keys.repository.js';
import { SigningKeysService } from './signing-keys.service.js';
import { TOKEN_PATH, TokenCodec } from './token-codec.js';
import { TokenFailureGuard } from './token-failure.guard.js';
import { TokenService } from './token.service.js';
import { WorkspaceClientsController } from './workspace-clients.controller.js';
import { WorkspaceClientsRepository } from './workspace-clients.repository.js';
import { WorkspaceClientsService } from './workspace-clients.service.js';

/**
 * Authentication: client credentials, tokens and API keys. Start at `passport-authenticator.ts` for a protected
 * request, at `token.service.ts` for the token endpoint. The module is global because the access guard needs its
 * `Authenticator`.
 */
@Global()
@Module({
  imports: [AccessPoliciesModule, AuditModule, PassportModule, SessionsModule, UsersModule],
  controllers: [ApiKeysController, DiscoveryController, OAuth2Controller, WorkspaceClientsController],
  providers: [
    AccessAudit,
    ApiKeyAuthenticator,
    ApiKeyGuard,
    ApiKeyStrategy,
    ApiKeysRepository,
    ApiKeysService,
    BearerGuard,
    BearerStrategy,
    CallerApiKeysService,
    ClientAuthenticator,
    ClientsService,
    CredentialsRepository,
    DiscoveryService,
    IssuerTokensService,
    RefreshTokenGrant,
    RejectionAudit,
    RevocationService,
    SecretHasher,
    SigningKeyRotationService,
    SigningKeysService,
    SigningKeysRepository,
    TokenCodec,
    TokenFailureGuard,
    TokenService,
    WorkspaceClientsRepository,
    WorkspaceClientsService,
    { provide: Authenticator, useClass: PassportAuthenticator },
  ],
  exports: [Authenticator, ApiKeysService, ClientsService, IssuerTokensService, SigningKeyRotationService],
})
export class AuthModule implements OnModuleInit {
  /** For the security scheme of the OpenAPI document. */
  static readonly tokenPath = TOKEN_PATH;
  /** Requests and responses below this path contain secrets. */
  static readonly secretPath = TOKEN_PATH.replace(/[^/]*$/, '');

  constructor(
    private readonly policies: AccessPoliciesService,
    private readonly apiKeys: ApiKeysRepository,
    private readonly clientCredentials: CredentialsRepository,
    private readonly sessions: SessionsService,
    private readonly users: UsersService,
  ) {}

  onModuleInit(): void {
    this.policies.registerHolder({
      countAssignments: (workspaceId, policyId) => this.apiKeys.countWithPolicy(workspaceId, policyId),
    });
    this.users.onDeletion(async (userId) => {
      const clients = await this.clientCredentials.deleteOf(userId);
      const apiKeys = await this.apiKeys.deleteOf(userId);
      // No sign-in can open a session without the clients.
      return { oauth_clients: clients, api_keys: apiKeys, sessions: await this.sessions.deleteOf(userId) };
    });
  }
}
