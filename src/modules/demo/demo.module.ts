import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { UsersModule } from '../users/users.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { DemoWorkspace } from './demo-workspace.js';
import { DemoRepository } from './demo.repository.js';
import { DemoService } from './demo.service.js';

/** Example data and credentials on the embedded database. */
@Module({
  imports: [AuthModule, ProjectsModule, UsersModule, WorkspacesModule],
  providers: [DemoRepository, DemoWorkspace, DemoService],
  exports: [DemoService],
})
export class DemoModule {}
