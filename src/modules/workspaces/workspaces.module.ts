import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { OwnWorkspacesService } from './own-workspaces.service.js';
import { WorkspacesController } from './workspaces.controller.js';
import { WorkspacesService } from './workspaces.service.js';

@Module({
  imports: [AuditModule],
  controllers: [WorkspacesController],
  providers: [WorkspacesService, OwnWorkspacesService],
  exports: [WorkspacesService, OwnWorkspacesService],
})
export class WorkspacesModule {}
