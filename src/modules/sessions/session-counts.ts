import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { CallerUsersService } from '../users/caller-users.service.js';
import { LIVE } from './sessions.service.js';

/** Users tell how many of their sessions live. */
@Injectable()
export class SessionCounts implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly members: CallerUsersService,
  ) {}

  onModuleInit(): void {
    this.members.register((userIds) => this.count(userIds));
  }

  private async count(userIds: readonly string[]): Promise<Map<string, number>> {
    const counted = await this.database.query<{ userId: string; count: number }>(
      `SELECT user_id AS "userId", count(*)::integer AS count FROM sessions
        WHERE user_id = ANY ($1::uuid[]) AND ${LIVE} GROUP BY user_id`,
      [userIds],
    );
    return new Map(counted.map(({ userId, count }) => [userId, count]));
  }
}
