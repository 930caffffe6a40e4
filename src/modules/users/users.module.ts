import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { UsersService } from './users.service.js';

@Module({ imports: [AuditModule, WorkspacesModule], providers: [UsersService], exports: [UsersService] })
export class UsersModule {}
