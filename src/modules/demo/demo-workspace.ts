import { Injectable } from '@nestjs/common';
import { ProjectsService } from '../projects/projects.service.js';
import { UserAdministrationService } from '../users/user-administration.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';

const SLUG = 'demo';
const EMAIL = 'demo@atrium.local';

export interface DemoIds {
  workspaceId: string;
  projectId: string;
  userId: string;
}

/** The workspace, user and project of the demo. */
@Injectable()
export class DemoWorkspace {
  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly administration: UserAdministrationService,
    private readonly projects: ProjectsService,
  ) {}

  /** Also under another name and slug. */
  async exists(workspaceId: string): Promise<boolean> {
    return (await this.workspaces.find(workspaceId)) !== null;
  }

  /** Creates what does not exist yet. */
  async ensure(): Promise<DemoIds> {
    const workspace = (await this.workspaces.findBySlug(SLUG)) ?? (await this.workspaces.create('Demo', SLUG));
    const user = await this.administration.create(EMAIL, [workspace.id], 'Demo user');
    const caller = { userId: user.id, workspaceIds: [workspace.id], scopes: ['api' as const] };
    const { items } = await this.projects.list(caller, { limit: 1 });
    const project = items[0] ?? (await this.projects.create(caller, { name: 'Demo project' })).record;
    return { workspaceId: workspace.id, projectId: project.id, userId: user.id };
  }
}
