import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { uuid } from '../../../packages/sql/src/uuid.js';
import { Database } from '../../platform/database/database.js';
import { DomainError, NotFoundError } from '../../../packages/errors/src/domain-error.js';
import { toSlug } from '../../../packages/tabular/src/normalization.js';
import { AuditService } from '../audit/audit.service.js';
import { listChanges } from '../audit/audit-log.js';
import { type AssistantsSetting, DEFAULT_ASSISTANTS, Workspace, type WorkspaceSettings } from './workspace.entity.js';
import { SlugTakenError, WORKSPACE_ERRORS } from './workspaces.errors.js';
import { WorkspacesRepository } from './workspaces.repository.js';

/** A deleted workspace can be restored for so many days. Then it is removed. */
export const RESTORABLE_DAYS = 30;

/** A workspace as assistants know it. */
export interface AssistedWorkspace {
  id: string;
  name: string;
  assistants: AssistantsSetting;
}

/** All workspaces of the service, for the operator and for other modules. */
@Injectable()
export class WorkspacesService {
  private readonly provisioners: ((workspaceId: string) => Promise<void>)[] = [];
  private readonly removers: ((workspaceId: string) => Promise<void>)[] = [];

  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly repository: WorkspacesRepository,
  ) {}

  /** The names of workspaces, and what assistants may do there. */
  async listForAssistants(ids: readonly string[]): Promise<AssistedWorkspace[]> {
    const found = await this.repository.findForAssistants(ids);
    return found.map(({ assistants, ...workspace }) => ({
      ...workspace,
      assistants: assistants ?? DEFAULT_ASSISTANTS,
    }));
  }

  /** Registers what creates what a new workspace needs, in the transaction that creates the workspace. */
  register(provision: (workspaceId: string) => Promise<void>): void {
    this.provisioners.push(provision);
  }

  /** Registers what removes references to a workspace from rows that belong to none, in the transaction of `remove`. */
  registerRemoval(remove: (workspaceId: string) => Promise<void>): void {
    this.removers.push(remove);
  }

  /** Creates a workspace and everything it needs, or nothing. @throws {SlugTakenError} */
  async create(name: string, slug = toSlug(name, '-') || 'workspace'): Promise<Workspace> {
    return this.database.transaction(async () => {
      if (await this.findBySlug(slug)) throw new SlugTakenError(slug);
      const workspaces = this.database.repository(Workspace);
      const workspace = await workspaces.save(workspaces.create({ id: uuid(), name, slug }));
      for (const provision of this.provisioners) await provision(workspace.id);
      await this.audit.record({ kind: 'workspace_created', workspaceId: workspace.id, details: { name, slug } });
      return workspace;
    });
  }

  /** All workspaces, also deleted ones that are not removed yet. */
  list(): Promise<Workspace[]> {
    const query = this.database.repository(Workspace).createQueryBuilder('workspace');
    return query.addSelect('workspace.removalDueAt').orderBy('workspace.id').getMany();
  }

  /** Also a deleted one that is not removed yet. */
  findBySlug(slug: string): Promise<Workspace | null> {
    return this.database.repository(Workspace).findOneBy({ slug });
  }

  /** Also a deleted one that is not removed yet. */
  findWithDeleted(id: string): Promise<Workspace | null> {
    return this.database.repository(Workspace).findOneBy({ id });
  }

  /** Null also for a deleted one. */
  find(id: string): Promise<Workspace | null> {
    return this.database.repository(Workspace).findOneBy({ id, removalDueAt: IsNull() });
  }

  /** @throws {NotFoundError} */
  async get(id: string): Promise<Workspace> {
    const workspace = await this.find(id);
    if (!workspace) throw new NotFoundError(`The workspace ${id}`);
    return workspace;
  }

  /** Also a deleted one that is not removed yet. @throws {NotFoundError} */
  async getWithDeleted(id: string): Promise<Workspace> {
    const workspace = await this.findWithDeleted(id);
    if (!workspace) throw new NotFoundError(`The workspace ${id}`);
    return workspace;
  }

  /** @throws {NotFoundError} */
  async settings(id: string): Promise<WorkspaceSettings> {
    return (await this.get(id)).settings;
  }

  /**
   * Changes the given settings; the others are unchanged.
   *
   * @param check throws if all settings do not fit together.
   * @returns all settings.
   * @throws {NotFoundError}
   */
  async changeSettings(
    id: string,
    changes: WorkspaceSettings,
    check?: (settings: WorkspaceSettings) => void,
  ): Promise<WorkspaceSettings> {
    return this.database.transaction(async () => {
      const workspace = await this.getLocked(id);
      const settings = { ...workspace.settings, ...changes };
      check?.(settings);
      const details = { changes: listChanges(workspace.settings, settings) };
      workspace.settings = settings;
      const reason = Object.keys(changes).join(', ');
      await this.audit.record({ kind: 'workspace_changed', workspaceId: id, reason, details });
      return (await this.database.repository(Workspace).save(workspace)).settings;
    });
  }

  /**
   * Deletes the workspace: for callers it does not exist any more. After these days it is removed.
   *
   * @throws {NotFoundError}
   */
  async delete(id: string, days: number): Promise<void> {
    await this.database.transaction(async () => {
      if (!(await this.repository.delete(id, days))) throw new NotFoundError(`The workspace ${id}`);
      await this.audit.record({ kind: 'workspace_deleted', workspaceId: id });
    });
  }

  /** @throws {DomainError} `workspace_not_deleted` if it is not deleted, or its removal has begun. */
  async restore(id: string): Promise<void> {
    await this.database.transaction(async () => {
      if (!(await this.repository.restore(id))) throw new DomainError(WORKSPACE_ERRORS.workspace_not_deleted);
      await this.audit.record({ kind: 'workspace_restored', workspaceId: id });
    });
  }

  /** The deleted workspaces whose time is up. */
  listForRemoval(): Promise<string[]> {
    return this.repository.listForRemoval();
  }

  /** After a restore: the operator has a day to restore deleted workspaces whose time was up. @returns how many. */
  postponeRemovals(): Promise<number> {
    return this.repository.postponeRemovals();
  }

  /**
   * Removes a deleted workspace, and with it what the work removes. The audit log has one entry without content.
   *
   * @param work removes what refers to the workspace, in the transaction that locks it.
   * @returns false if it does not exist any more, or is not due.
   */
  remove(id: string, work: () => Promise<void>): Promise<boolean> {
    return this.database.transaction(async () => {
      if (!(await this.repository.lockForRemoval(id))) return false;
      for (const remove of this.removers) await remove(id);
      await work();
      await this.database.repository(Workspace).delete({ id });
      await this.audit.record({ kind: 'workspace_removed', workspaceId: id });
      return true;
    });
  }

  /** The workspace, locked until the transaction ends. @throws {NotFoundError} */
  async getLocked(id: string): Promise<Workspace> {
    const lock = { mode: 'for_no_key_update' } as const;
    const workspace = await this.database
      .repository(Workspace)
      .findOne({ where: { id, removalDueAt: IsNull() }, lock });
    if (!workspace) throw new NotFoundError(`The workspace ${id}`);
    return workspace;
  }
}
