import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { countRows } from '../../records/record-counters.js';
import { OwnWorkspacesService } from '../workspaces/own-workspaces.service.js';
import { WorkspaceMember } from './workspace-member.entity.js';

/** Workspaces tell how many users they have. */
@Injectable()
export class MemberCounts implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly workspaces: OwnWorkspacesService,
  ) {}

  onModuleInit(): void {
    this.workspaces.register('users', countRows(this.database, WorkspaceMember, 'workspaceId'));
  }
}
