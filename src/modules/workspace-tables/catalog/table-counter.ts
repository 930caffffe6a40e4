import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { CallerWorkspacesService } from '../../workspaces/caller-workspaces.service.js';

/** Workspaces tell how many tables they have. */
@Injectable()
export class TableCounter implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly workspaces: CallerWorkspacesService,
  ) {}

  onModuleInit(): void {
    this.workspaces.registerCounter('tables', { count: (workspaceIds) => this.count(workspaceIds) });
  }

  private async count(workspaceIds: readonly string[]): Promise<Map<string, number>> {
    const counted = await this.database.query<{ id: string; count: number }>(
      `SELECT workspace_id AS id, count(*)::integer AS count FROM workspace_tables
        WHERE workspace_id = ANY ($1::uuid[]) GROUP BY workspace_id`,
      [workspaceIds],
    );
    return new Map(counted.map(({ id, count }) => [id, count]));
  }
}
