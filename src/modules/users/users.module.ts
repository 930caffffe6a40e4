import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { UsersService } from './users.service.js';

@Module({ imports: [WorkspacesModule], providers: [UsersService], exports: [UsersService] })
export class UsersModule {}
