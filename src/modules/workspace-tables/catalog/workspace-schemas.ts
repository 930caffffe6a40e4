import { Injectable, type OnModuleInit } from '@nestjs/common';
import { WorkspaceProvisioner } from '../../workspaces/workspace-provisioner.js';
import { WorkspacesService } from '../../workspaces/workspaces.service.js';
import { PhysicalTablesRepository } from './physical-tables.repository.js';

/** A workspace's schema is made with the workspace. */
@Injectable()
export class WorkspaceSchemas extends WorkspaceProvisioner implements OnModuleInit {
  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly physical: PhysicalTablesRepository,
  ) {
    super();
  }

  onModuleInit(): void {
    this.workspaces.register(this);
  }

  provision(workspaceId: string): Promise<void> {
    return this.physical.createSchema(workspaceId);
  }
}
