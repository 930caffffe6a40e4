import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { SQLSTATE, translateSqlState } from '../../../packages/sql/src/sql-state.js';
import { InvalidRequestError } from '../../../packages/errors/src/domain-error.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import { type AcceptedVersions, requireVersion } from '../../platform/http/conditional-requests.js';
import type { Principal } from '../../platform/security/principal.js';
import { resolveWorkspaces } from '../../platform/security/workspace-access.js';
import { pickChanges } from '../../records/record-values.js';
import { RecordCounters } from '../../records/record-counters.js';
import { AuditService } from '../audit/audit.service.js';
import { listChanges } from '../audit/audit-log.js';
import { ChangeWorkspaceDto, INVALID_TIME_ZONE, ListWorkspacesDto, WorkspaceDto } from './dto/workspace.dto.js';
import { DEFAULT_ASSISTANTS, Workspace, type WorkspaceSettings } from './workspace.entity.js';
import { SlugTakenError } from './workspaces.errors.js';
import { WorkspacesRepository } from './workspaces.repository.js';
import { WorkspacesService } from './workspaces.service.js';

/** The workspaces of which the caller is a member. */
@Injectable()
export class CallerWorkspacesService {
  constructor(
    private readonly database: Database,
    private readonly workspaces: WorkspacesService,
    private readonly repository: WorkspacesRepository,
    private readonly audit: AuditService,
    private readonly counters: RecordCounters,
  ) {}

  async list(caller: Principal, query: ListWorkspacesDto): Promise<Page<WorkspaceDto>> {
    const page = await this.repository.findPage(caller.workspaceIds, query);
    return { ...page, items: await this.toDtos(page.items) };
  }

  /** @throws {NotFoundError} if the caller is not a member of the workspace. */
  async get(caller: Principal, id: string): Promise<WorkspaceDto> {
    resolveWorkspaces(caller, id);
    return this.toDto(await this.workspaces.get(id));
  }

  /**
   * The version does not change if all values are unchanged.
   *
   * @throws {NotFoundError | PreconditionFailedError | SlugTakenError | InvalidRequestError}
   */
  async change(
    caller: Principal,
    id: string,
    { settings, timezone, ...values }: ChangeWorkspaceDto,
    accepted: AcceptedVersions,
  ): Promise<WorkspaceDto> {
    resolveWorkspaces(caller, id);
    const zone = timezone === undefined ? {} : { timezone: await this.getTimeZone(timezone) };
    const toTaken = () => new SlugTakenError(values.slug!);
    const write = async () => {
      const workspace = await this.workspaces.getLocked(id);
      requireVersion(workspace, accepted);
      // Settings that are not sent are undefined in the DTO and must not overwrite the stored ones.
      const changedSettings = pickChanges<WorkspaceSettings>(workspace.settings, settings ?? {});
      const allSettings = { ...workspace.settings, ...changedSettings };
      const changed = pickChanges(workspace, { ...values, ...zone, settings: allSettings });
      const fields = Object.keys(changed);
      if (fields.length === 0) return this.toDto(workspace);
      const details = { changes: listChanges(workspace, { ...workspace, ...changed }) };
      Object.assign(workspace, changed, { updatedBy: caller.userId });
      const saved = await this.database.repository(Workspace).save(workspace);
      await this.audit.record({ kind: 'workspace_changed', workspaceId: id, reason: fields.join(', '), details });
      return this.toDto(saved);
    };
    return this.database.transaction(write).catch(translateSqlState(SQLSTATE.uniqueViolation, toTaken));
  }

  /** PostgreSQL calculates with the time zone, so it must know the name. @throws {InvalidRequestError} */
  private async getTimeZone(name: string): Promise<string> {
    const zone = await this.repository.findTimeZone(name);
    if (zone) return zone;
    throw new InvalidRequestError([{ field: 'timezone', code: 'invalid_field', message: INVALID_TIME_ZONE }]);
  }

  private async toDto(workspace: Workspace): Promise<WorkspaceDto> {
    return (await this.toDtos([workspace]))[0]!;
  }

  private async toDtos(workspaces: readonly Workspace[]): Promise<WorkspaceDto[]> {
    const owners = workspaces.map(({ id }) => ({ id, workspaceId: id }));
    const counted = await this.counters.addCounts<(typeof owners)[number], WorkspaceDto['counts']>('workspace', owners);
    // A saved entity has the column, a read one has not: the ETag would differ.
    return workspaces.map(({ removalDueAt, ...workspace }, index) => {
      const { noteStatuses = null, publicNotes = true, assistants = DEFAULT_ASSISTANTS } = workspace.settings;
      return { ...workspace, settings: { noteStatuses, publicNotes, assistants }, counts: counted[index]!.counts };
    });
  }
}
