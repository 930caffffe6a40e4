import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { toLikePattern } from '../../../packages/sql/src/sql-literal.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import { getRowPage } from '../../records/row-pages.repository.js';
import type { ListWorkspacesDto } from './dto/workspace.dto.js';
import type { AssistantsSetting, Workspace } from './workspace.entity.js';

/** Reads that TypeORM cannot express. */
@Injectable()
export class WorkspacesRepository {
  constructor(private readonly database: Database) {}

  /** @throws {InvalidCursorError} */
  findPage(workspaceIds: readonly string[], query: ListWorkspacesDto): Promise<Page<Workspace>> {
    const sql = `
      SELECT id, name, slug, timezone, settings, version, created_at AS "createdAt", created_by AS "createdBy",
             updated_at AS "updatedAt", updated_by AS "updatedBy"
        FROM workspaces WHERE id = ANY ($1::uuid[]) AND (name ILIKE $2 OR slug ILIKE $2)`;
    const identity = ['workspaces', [...workspaceIds].sort(), query.q];
    const parameters = [workspaceIds, toLikePattern(query.q ?? '')];
    return getRowPage<Workspace>(this.database, identity, { sql, parameters, sized: ['settings'] }, query);
  }

  /** The names and the settings of workspaces. */
  async findForAssistants(
    workspaceIds: readonly string[],
  ): Promise<{ id: string; name: string; assistants: AssistantsSetting | null }[]> {
    const sql = "SELECT id, name, settings->>'assistants' AS assistants FROM workspaces WHERE id = ANY ($1::uuid[])";
    return this.database.query(sql, [workspaceIds]);
  }

  /**
   * A second call changes when the workspace is removed.
   *
   * @returns false if it does not exist, or its removal may have begun and would be later.
   */
  async delete(id: string, days: number): Promise<boolean> {
    const sql = `UPDATE workspaces SET removal_due_at = now() + make_interval(days => $2)
                  WHERE id = $1 AND ($2 = 0 OR removal_due_at IS NULL OR removal_due_at > now())`;
    return (await this.database.affected(sql, [id, days])) > 0;
  }

  /** @returns false if the workspace is not deleted, or may be removed already. */
  async restore(id: string): Promise<boolean> {
    const sql = 'UPDATE workspaces SET removal_due_at = NULL WHERE id = $1 AND removal_due_at > now()';
    return (await this.database.affected(sql, [id])) > 0;
  }

  /** Locks a workspace whose time is up. @returns false if it does not exist. */
  async lockForRemoval(id: string): Promise<boolean> {
    const sql = 'SELECT id FROM workspaces WHERE id = $1 AND removal_due_at <= now() FOR UPDATE';
    return (await this.database.query(sql, [id])).length > 0;
  }

  /** Workspaces whose time is up are removed a day later. @returns how many. */
  postponeRemovals(): Promise<number> {
    const sql = "UPDATE workspaces SET removal_due_at = now() + interval '1 day' WHERE removal_due_at <= now()";
    return this.database.affected(sql);
  }

  async listForRemoval(): Promise<string[]> {
    const sql = 'SELECT id FROM workspaces WHERE removal_due_at <= now()';
    return (await this.database.query<{ id: string }>(sql)).map(({ id }) => id);
  }

  /**
   * The name of the time zone as PostgreSQL spells it, in any letter case; undefined if PostgreSQL does not know it.
   */
  async findTimeZone(name: string): Promise<string | undefined> {
    const sql = 'SELECT name FROM pg_timezone_names WHERE lower(name) = lower($1) LIMIT 1';
    const [zone] = await this.database.query<{ name: string }>(sql, [name]);
    return zone?.name;
  }
}
