import { Module } from '@nestjs/common';
import { AccessPoliciesModule } from '../access-policies/access-policies.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { IdentityModule } from '../identity/identity.module.js';
import { NotesModule } from '../notes/notes.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { ToursModule } from '../tours/tours.module.js';
import { UsersModule } from '../users/users.module.js';
import { WorkspaceTablesModule } from '../workspace-tables/workspace-tables.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { DemoAccess } from './demo-access.js';
import { DemoContent } from './demo-content.js';
import { DemoIssuerService } from './demo-issuer.service.js';
import { DemoWorkspace } from './demo-workspace.js';
import { DemoController } from './demo.controller.js';
import { DemoRepository } from './demo.repository.js';
import { DemoService } from './demo.service.js';

/** Example data and credentials on the embedded database. */
@Module({
  imports: [
    AccessPoliciesModule,
    AuthModule,
    IdentityModule,
    NotesModule,
    ProjectsModule,
    ToursModule,
    UsersModule,
    WorkspaceTablesModule,
    WorkspacesModule,
  ],
  controllers: [DemoController],
  providers: [DemoAccess, DemoContent, DemoIssuerService, DemoRepository, DemoWorkspace, DemoService],
  exports: [DemoIssuerService, DemoService],
})
export class DemoModule {}
