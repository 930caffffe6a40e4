import { Module, type OnModuleInit } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { IssuerTokensService } from '../auth/issuer-tokens.service.js';
import { UsersModule } from '../users/users.module.js';
import { IdentitiesRepository } from './identities.repository.js';
import { IdentitiesService } from './identities.service.js';
import { IssuerAuthenticator } from './issuer-authenticator.js';
import { IssuersService } from './issuers.service.js';

/** Identity providers of enterprises: the issuers whose tokens the service accepts. */
@Module({
  imports: [AuditModule, AuthModule, UsersModule],
  providers: [IdentitiesRepository, IdentitiesService, IssuerAuthenticator, IssuersService],
  exports: [IdentitiesService, IssuersService],
})
export class IdentityModule implements OnModuleInit {
  constructor(
    private readonly tokens: IssuerTokensService,
    private readonly issuers: IssuerAuthenticator,
  ) {}

  onModuleInit(): void {
    this.tokens.authenticate = (request, token) => this.issuers.authenticate(request, token);
  }
}
