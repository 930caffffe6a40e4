import { Global, Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { Authenticator } from '../../platform/security/authenticator.js';
import { AuditModule } from '../audit/audit.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { UsersModule } from '../users/users.module.js';
import { ApiKeyGuard, ApiKeyStrategy } from './api-key.strategy.js';
import { ApiKeysService } from './api-keys.service.js';
import { BearerGuard, BearerStrategy } from './bearer.strategy.js';
import { ClientsService } from './clients.service.js';
import { DiscoveryController } from './discovery.controller.js';
import { DiscoveryService } from './discovery.service.js';
import { OAuth2Controller } from './oauth2.controller.js';
import { PassportAuthenticator } from './passport-authenticator.js';
import { PepperCheck } from './pepper-check.js';
import { RejectionLog } from './rejection-log.js';
import { RevocationService } from './revocation.service.js';
import { SecretVault } from './secret-vault.js';
import { SigningKeyRotation } from './signing-key-rotation.service.js';
import { SigningKeys } from './signing-keys.service.js';
import { TOKEN_PATH } from './token-path.js';
import { TokenService } from './token.service.js';
import { Tokens } from './tokens.js';

/** Who calls: client credentials, tokens and API keys. Global for its authenticator, which the access guard needs. */
@Global()
@Module({
  imports: [AuditModule, PassportModule, SessionsModule, UsersModule],
  controllers: [DiscoveryController, OAuth2Controller],
  providers: [
    ApiKeyGuard,
    ApiKeyStrategy,
    ApiKeysService,
    BearerGuard,
    BearerStrategy,
    ClientsService,
    DiscoveryService,
    PepperCheck,
    RejectionLog,
    RevocationService,
    SecretVault,
    SigningKeyRotation,
    SigningKeys,
    TokenService,
    Tokens,
    { provide: Authenticator, useClass: PassportAuthenticator },
  ],
  exports: [Authenticator, ApiKeysService, ClientsService, SigningKeyRotation],
})
export class AuthModule {
  /** For the security scheme of the OpenAPI document. */
  static readonly tokenPath = TOKEN_PATH;
}
