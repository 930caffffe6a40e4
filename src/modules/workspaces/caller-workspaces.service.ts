import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { SQLSTATE, sqlState } from '../../platform/database/database.errors.js';
import { InvalidRequestError } from '../../platform/http/domain-error.js';
import type { Page } from '../../platform/http/page.dto.js';
import { type AcceptedVersions, requireVersion } from '../../platform/http/conditional-requests.js';
import { pickChanges } from '../../records/record-values.js';
import { type RecordCounter, RecordCounters } from '../../records/record-counters.js';
import { getRowPage } from '../../records/record-pages.repository.js';
import { toLikePattern } from '../../platform/database/sql-literal.js';
import type { Principal } from '../../platform/security/principal.js';
import { resolveWorkspaces } from '../../platform/security/workspace-access.js';
import { AuditService } from '../audit/audit.service.js';
import { ChangeWorkspaceDto, ListWorkspacesDto, WorkspaceDto } from './dto/workspace.dto.js';
import type { Workspace, WorkspaceSettings } from './workspace.entity.js';
import { SlugTakenError } from './workspaces.errors.js';
import { WorkspacesService } from './workspaces.service.js';

/** The workspaces that a caller is a member of. */
@Injectable()
export class CallerWorkspacesService {
  private readonly counters = new RecordCounters();

  constructor(
    private readonly database: Database,
    private readonly workspaces: WorkspacesService,
    private readonly audit: AuditService,
  ) {}

  /** The counter's figures are told with every workspace from now on. */
  registerCounter(name: keyof WorkspaceDto['counts'], counter: RecordCounter): void {
    this.counters.register(name, counter);
  }

  async list(caller: Principal, query: ListWorkspacesDto): Promise<Page<WorkspaceDto>> {
    const { workspaceIds } = caller;
    const sql = `
      SELECT id, name, slug, timezone, settings, version, created_at AS "createdAt", created_by AS "createdBy",
             updated_at AS "updatedAt", updated_by AS "updatedBy"
        FROM workspaces WHERE id = ANY ($1::uuid[]) AND (name ILIKE $2 OR slug ILIKE $2)`;
    const identity = ['workspaces', [...workspaceIds].sort(), query.q];
    const parameters = [workspaceIds, toLikePattern(query.q ?? '')];
    const page = await getRowPage<Workspace>(this.database, identity, { sql, parameters }, query);
    return { ...page, items: await this.allShown(page.items) };
  }

  /** @throws {NotFoundError} where it is not the caller's. */
  async get(caller: Principal, id: string): Promise<WorkspaceDto> {
    resolveWorkspaces(caller, id);
    return this.shown(await this.workspaces.get(id));
  }

  /** What is as it was spends no version. @throws {NotFoundError | PreconditionFailedError | SlugTakenError | InvalidRequestError} */
  async change(
    caller: Principal,
    id: string,
    { settings, timezone, ...values }: ChangeWorkspaceDto,
    accepted: AcceptedVersions,
  ): Promise<WorkspaceDto> {
    resolveWorkspaces(caller, id);
    const known = timezone === undefined ? {} : { timezone: await this.zoneOf(timezone) };
    try {
      return await this.database.transaction(async () => {
        const workspace = await this.workspaces.getLocked(id);
        requireVersion(workspace, accepted);
        // What is not sent is undefined here, and would be lost.
        const all = { ...workspace.settings, ...pickChanges<WorkspaceSettings>(workspace.settings, settings ?? {}) };
        const changed = pickChanges(workspace, { ...values, ...known, settings: all });
        const fields = Object.keys(changed);
        if (fields.length === 0) return this.shown(workspace);
        Object.assign(workspace, changed, { updatedBy: caller.userId });
        const saved = await this.database.manager.save(workspace);
        await this.audit.record({ kind: 'workspace_changed', workspaceId: id, reason: fields.join(', ') });
        return this.shown(saved);
      });
    } catch (error) {
      if (sqlState(error) !== SQLSTATE.uniqueViolation) throw error;
      throw new SlugTakenError(values.slug!);
    }
  }

  /** As PostgreSQL spells it, which is to reckon with it. @throws {InvalidRequestError} where it does not know it. */
  private async zoneOf(asked: string): Promise<string> {
    const sql = 'SELECT name FROM pg_timezone_names WHERE lower(name) = lower($1) LIMIT 1';
    const [zone] = await this.database.query<{ name: string }>(sql, [asked]);
    if (zone) return zone.name;
    const message = 'timezone must be an IANA name, such as Europe/Vienna';
    throw new InvalidRequestError([{ field: 'timezone', code: 'invalid_field', message }]);
  }

  private async shown(workspace: Workspace): Promise<WorkspaceDto> {
    return (await this.allShown([workspace]))[0]!;
  }

  private async allShown(workspaces: readonly Workspace[]): Promise<WorkspaceDto[]> {
    const owners = workspaces.map(({ id }) => ({ id, workspaceId: id }));
    const counted = await this.counters.addCounts<(typeof owners)[number], WorkspaceDto['counts']>(owners);
    return workspaces.map((workspace, at) => {
      const { noteStatuses = null, publicNotes = true } = workspace.settings;
      return { ...workspace, settings: { noteStatuses, publicNotes }, counts: counted[at]!.counts };
    });
  }
}
