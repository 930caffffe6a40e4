import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { CallerWorkspacesService } from './caller-workspaces.service.js';
import { WorkspaceAccessController } from './workspace-access.controller.js';
import { WorkspacesController } from './workspaces.controller.js';
import { WorkspacesRepository } from './workspaces.repository.js';
import { WorkspacesService } from './workspaces.service.js';

@Module({
  imports: [AuditModule],
  controllers: [WorkspacesController, WorkspaceAccessController],
  providers: [WorkspacesService, CallerWorkspacesService, WorkspacesRepository],
  exports: [WorkspacesService, CallerWorkspacesService],
})
export class WorkspacesModule {}
