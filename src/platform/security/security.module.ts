import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { RouteAudit } from './route-audit.js';

/** Access rules of all routes. The auth module provides the Authenticator. */
@Module({ imports: [DiscoveryModule], providers: [RouteAudit] })
export class SecurityModule {}
