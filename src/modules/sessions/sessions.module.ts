import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module.js';
import { SessionsService } from './sessions.service.js';

@Module({ imports: [UsersModule], providers: [SessionsService], exports: [SessionsService] })
export class SessionsModule {}
