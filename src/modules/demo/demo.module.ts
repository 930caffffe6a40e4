import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { UsersModule } from '../users/users.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { DemoPlace } from './demo-credentials.js';
import { DemoService } from './demo.service.js';

/** Something to begin with on the embedded database. */
@Module({
  imports: [AuthModule, ProjectsModule, UsersModule, WorkspacesModule],
  providers: [DemoPlace, DemoService],
  exports: [DemoService],
})
export class DemoModule {}
