import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IdempotencyKeys } from '../../platform/http/idempotency/idempotency-keys.repository.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { WorkspaceFilesService } from '../attachments/workspace-files.service.js';
import { MembershipsService } from '../users/memberships.service.js';
import { StoredTablesService } from '../workspace-tables/admin/stored-tables.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { TransfersRepository } from './transfers.repository.js';

/** What the operator reads before a workspace is deleted. */
const COUNTED = {
  tables: 'workspace_tables',
  projects: 'projects',
  tours: 'tours',
  notes: 'notes',
  messages: 'note_messages',
  files: 'attachments',
  members: 'workspace_members',
  apiKeys: 'api_keys',
} as const;

export type WorkspaceCounts = Record<keyof typeof COUNTED, number>;

/** Removes deleted workspaces whose time is up, with all that belongs to them. A removal that has failed continues. */
@Injectable()
export class WorkspaceRemovalService implements OnModuleInit {
  constructor(
    private readonly repository: TransfersRepository,
    private readonly workspaces: WorkspacesService,
    private readonly memberships: MembershipsService,
    private readonly tables: StoredTablesService,
    private readonly files: WorkspaceFilesService,
    private readonly idempotencyKeys: IdempotencyKeys,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.cleanUp('deleted workspaces', () => this.removeDue());
  }

  async count(workspaceId: string): Promise<WorkspaceCounts> {
    const counts: [string, number][] = [];
    for (const [name, table] of Object.entries(COUNTED))
      counts.push([name, await this.repository.count(workspaceId, table)]);
    return Object.fromEntries(counts) as WorkspaceCounts;
  }

  /** @returns the number of removed workspaces. */
  async removeDue(): Promise<number> {
    const due = await this.workspaces.listForRemoval();
    const failures: unknown[] = [];
    for (const id of due) await this.remove(id).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, 'Deleted workspaces could not be removed.');
    return due.length;
  }

  /** Only a deleted workspace whose time is up. */
  async remove(id: string): Promise<void> {
    const clearResponses = async () => {
      const members = await this.memberships.find({ workspaceId: id });
      await this.idempotencyKeys.clearResponses(members.map((member) => member.id));
    };
    for (const step of [
      clearResponses,
      () => this.tables.drop(id),
      () => this.files.removeAll(id),
      () => this.repository.deleteRows(id),
    ]) {
      // Another instance may have removed it meanwhile, and an import may have stored it again.
      if (!(await this.workspaces.listForRemoval()).includes(id)) return;
      await step();
    }
    // Again: requests and jobs that were running may have added rows.
    if (!(await this.workspaces.remove(id, () => this.repository.deleteRows(id)))) return;
    // Until then, they may have created tables and files. Without the row of the workspace they cannot.
    await this.tables.drop(id);
    await this.files.removeAll(id);
  }
}
