import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { RouteAudit } from './route-audit.js';

/** The rules of access that hold for every route. The authenticator itself comes from the auth module. */
@Module({ imports: [DiscoveryModule], providers: [RouteAudit] })
export class SecurityModule {}
