import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Database } from '../../platform/database/database.js';
import { NotFoundError } from '../../platform/http/domain-error.js';
import { AuditService } from '../audit/audit.service.js';
import { Workspace, type WorkspaceSettings } from './workspace.entity.js';
import type { WorkspaceProvisioner } from './workspace-provisioner.js';
import { SlugTakenError } from './workspaces.errors.js';

@Injectable()
export class WorkspacesService {
  private readonly provisioners: WorkspaceProvisioner[] = [];

  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
  ) {}

  /** The provisioner takes part in every workspace's creation from now on. */
  register(provisioner: WorkspaceProvisioner): void {
    this.provisioners.push(provisioner);
  }

  /** Creates a workspace with all it needs, or nothing. @throws {SlugTakenError} */
  async create(name: string, slug = slugOf(name)): Promise<Workspace> {
    return this.database.transaction(async () => {
      if (await this.findBySlug(slug)) throw new SlugTakenError(slug);
      const { manager } = this.database;
      const workspace = await manager.save(manager.create(Workspace, { id: uuid(), name, slug }));
      for (const provisioner of this.provisioners) await provisioner.provision(workspace.id);
      return workspace;
    });
  }

  list(): Promise<Workspace[]> {
    return this.database.manager.find(Workspace, { order: { id: 'ASC' } });
  }

  findBySlug(slug: string): Promise<Workspace | null> {
    return this.database.manager.findOneBy(Workspace, { slug });
  }

  /** @throws {NotFoundError} */
  async get(id: string): Promise<Workspace> {
    const workspace = await this.database.manager.findOneBy(Workspace, { id });
    if (!workspace) throw new NotFoundError(`The workspace ${id}`);
    return workspace;
  }

  /** @throws {NotFoundError} */
  async settings(id: string): Promise<WorkspaceSettings> {
    return (await this.get(id)).settings;
  }

  /** Changes the settings named and keeps the others. @returns all of them. @throws {NotFoundError} */
  async changeSettings(id: string, changes: WorkspaceSettings): Promise<WorkspaceSettings> {
    return this.database.transaction(async () => {
      const workspace = await this.getLocked(id);
      workspace.settings = { ...workspace.settings, ...changes };
      await this.audit.record({ kind: 'workspace_changed', workspaceId: id, reason: Object.keys(changes).join(', ') });
      return (await this.database.manager.save(workspace)).settings;
    });
  }

  /** The workspace as it stands until the transaction ends. @throws {NotFoundError} */
  async getLocked(id: string): Promise<Workspace> {
    const lock = { mode: 'pessimistic_write' } as const;
    const workspace = await this.database.manager.findOne(Workspace, { where: { id }, lock });
    if (!workspace) throw new NotFoundError(`The workspace ${id}`);
    return workspace;
  }
}

function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return slug || 'workspace';
}
