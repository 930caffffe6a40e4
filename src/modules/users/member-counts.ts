import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { createRecordCounter } from '../../records/record-counters.js';
import { CallerWorkspacesService } from '../workspaces/caller-workspaces.service.js';
import { Membership } from './membership.entity.js';

/** Workspaces tell how many users they have. */
@Injectable()
export class MemberCounts implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly workspaces: CallerWorkspacesService,
  ) {}

  onModuleInit(): void {
    this.workspaces.registerCounter('users', createRecordCounter(this.database, Membership, 'workspaceId'));
  }
}
