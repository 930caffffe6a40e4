import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { PageQueryDto } from '../../platform/http/page.dto.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import { getRowPage } from '../../records/row-pages.repository.js';
import { lockWorkspace } from '../workspaces/workspaces.clauses.js';
import type { AccessPolicyRecord } from './access-policy.entity.js';
import type { PolicyRules } from './policy-rules.js';

/** The rules of a policy by its ID. */
export interface StoredRules {
  id: string;
  rules: PolicyRules;
}

type LoadedPolicy = Pick<AccessPolicyRecord, 'version' | 'scopes' | 'rules'>;

/** Statements on access policies that lock rows, or run for every request of a caller with a policy. */
@Injectable()
export class AccessPoliciesRepository {
  constructor(private readonly database: Database) {}

  /** The policy as it is now. */
  async find(workspaceId: string, id: string): Promise<LoadedPolicy | undefined> {
    const [policy] = await this.database.query<LoadedPolicy>(
      'SELECT version, scopes, rules FROM access_policies WHERE workspace_id = $1 AND id = $2',
      [workspaceId, id],
      'access policy',
    );
    return policy;
  }

  /** The newest first. @throws {InvalidCursorError} */
  findPage(workspaceId: string, { limit, cursor }: PageQueryDto): Promise<Page<AccessPolicyRecord>> {
    const sql = `SELECT id, name, version, scopes, rules, created_at AS "createdAt", created_by AS "createdBy",
                        updated_at AS "updatedAt", updated_by AS "updatedBy"
                   FROM access_policies WHERE workspace_id = $1`;
    const statement = { sql, parameters: [workspaceId], sized: ['rules'] };
    const query = { limit, cursor, sort: '-createdAt' };
    return getRowPage<AccessPolicyRecord>(this.database, ['access-policies', workspaceId], statement, query);
  }

  /** The rules of all policies of the workspace. */
  listRules(workspaceId: string): Promise<StoredRules[]> {
    return this.database.query('SELECT id, rules FROM access_policies WHERE workspace_id = $1', [workspaceId]);
  }

  /** As `listRules`. Locks the policies until the transaction ends; none is created meanwhile. */
  async listRulesLocked(workspaceId: string): Promise<StoredRules[]> {
    await this.lockCreation(workspaceId);
    return this.database.query(
      'SELECT id, rules FROM access_policies WHERE workspace_id = $1 ORDER BY id FOR NO KEY UPDATE',
      [workspaceId],
    );
  }

  /** @param versions by which the version is incremented. */
  async setRules(workspaceId: string, id: string, rules: PolicyRules, versions: 0 | 1): Promise<void> {
    await this.database.affected(
      'UPDATE access_policies SET rules = $3, version = version + $4 WHERE workspace_id = $1 AND id = $2',
      [workspaceId, id, JSON.stringify(rules), versions],
    );
  }

  /** Waits for other transactions that create policies or list them locked, and serializes them until this one ends. */
  async lockCreation(workspaceId: string): Promise<void> {
    await this.database.query(lockWorkspace('$1'), [workspaceId]);
  }

  async count(workspaceId: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      'SELECT count(*)::integer AS count FROM access_policies WHERE workspace_id = $1',
      [workspaceId],
    );
    return row!.count;
  }

  /** @returns false if the policy does not exist. */
  async lockShared(workspaceId: string, id: string): Promise<boolean> {
    const sql = 'SELECT id FROM access_policies WHERE workspace_id = $1 AND id = $2 FOR KEY SHARE';
    return (await this.database.query(sql, [workspaceId, id])).length > 0;
  }
}
