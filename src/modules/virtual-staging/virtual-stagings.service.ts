import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import { Directory } from '../../platform/database/directory.js';
import type { Page } from '../../platform/http/page.dto.js';
import { type AcceptedVersions, requireVersion } from '../../platform/http/conditional-requests.js';
import { createRecordCounter } from '../../records/record-counters.js';
import { type UpsertResult, pickChanges } from '../../records/record-values.js';
import { Records } from '../../records/records.js';
import type { Principal } from '../../platform/security/principal.js';
import { resolveWorkspaces } from '../../platform/security/workspace-access.js';
import type { Upload } from '../../platform/body/upload.js';
import type { Attachable } from '../attachments/attachments.service.js';
import { ToursService } from '../tours/tours.service.js';
import { ChangeStagingDto, CreateStagingDto, ListStagingsDto, StagingDto } from './dto/virtual-staging.dto.js';
import { VirtualStagingFiles } from './virtual-staging-files.js';
import { VirtualStaging } from './virtual-staging.entity.js';
import { NotQueuedError, AlreadyFinishedError } from './virtual-stagings.errors.js';

/** Stagings as those see them who ask for them; renderers have the queue (see staging-queue.service.ts). */
@Injectable()
export class VirtualStagingsService implements OnModuleInit {
  private readonly records: Records<VirtualStaging>;

  constructor(
    private readonly database: Database,
    directory: Directory,
    private readonly tours: ToursService,
    private readonly files: VirtualStagingFiles,
  ) {
    this.records = new Records(database, directory, {
      entity: VirtualStaging,
      kind: 'staging',
      label: 'The staging',
      searched: ['roomType', 'style'],
      immutable: ['tourId', 'projectId'],
      requireOpenParent: ({ workspaceId, tourId }, field) => this.tours.getOpen([workspaceId], tourId, field),
    });
  }

  onModuleInit(): void {
    this.tours.registerCounter('stagings', createRecordCounter(this.database, VirtualStaging, 'tourId'));
  }

  /**
   * Queues a staging, or changes the one with this external id while that is queued.
   *
   * @throws {NotFoundError | ArchivedError} where the tour is not there for it.
   * @throws {InvalidStagingError | UnsupportedFileTypeError} where there is not one image to work on.
   * @throws {PlacedElsewhereError | NotQueuedError}
   */
  async create(
    caller: Principal,
    { tourId: asked, sourceFileId, ...body }: CreateStagingDto,
    uploads: readonly Upload[],
    accepted: AcceptedVersions,
  ): Promise<UpsertResult<StagingDto>> {
    this.files.requireOne(uploads, sourceFileId);
    const { workspaceId, id: tourId, projectId } = await this.tours.getOpen(caller.workspaceIds, asked, 'tourId');
    const source = await this.files.land(workspaceId, uploads, sourceFileId);
    const draftOf = async () => {
      const values = { ...body, tourId, projectId };
      return { workspaceId, values: await this.withSource(workspaceId, values, source, caller, accepted) };
    };
    const saved = await this.records.create(draftOf, caller, accepted);
    return { ...saved, record: await this.shown(saved.record) };
  }

  async list(
    caller: Principal,
    { projectId, tourId, status, type, ...query }: ListStagingsDto,
  ): Promise<Page<StagingDto>> {
    const filter = {
      ...(projectId ? { projectId } : {}),
      ...(tourId ? { tourId } : {}),
      ...(status ? { status: In(status) } : {}),
      ...(type ? { type: In(type) } : {}),
    };
    const page = await this.records.getPage(resolveWorkspaces(caller, query.workspaceId), query, filter);
    return { ...page, items: await this.files.show(page.items) };
  }

  /** @throws {NotFoundError} where there is none among the workspaces. */
  async get(workspaceIds: readonly string[], id: string): Promise<StagingDto> {
    return this.shown(await this.records.get(workspaceIds, id));
  }

  /** @throws {NotFoundError | PreconditionFailedError | ArchivedError | NotQueuedError} */
  async change(
    caller: Principal,
    id: string,
    changes: ChangeStagingDto,
    accepted: AcceptedVersions,
  ): Promise<StagingDto> {
    const values = ({ status }: VirtualStaging) => {
      if (status !== 'queued') throw new NotQueuedError(status);
      return Promise.resolve(changes);
    };
    return this.shown(await this.records.change(caller.workspaceIds, id, caller, accepted, values));
  }

  /** What is cancelled already stays so. @throws {NotFoundError | PreconditionFailedError | ArchivedError | AlreadyFinishedError} */
  async cancel(caller: Principal, id: string, accepted: AcceptedVersions): Promise<StagingDto> {
    const values = ({ status }: VirtualStaging): Promise<Partial<VirtualStaging>> => {
      if (status === 'cancelled') return Promise.resolve({});
      if (status !== 'queued' && status !== 'processing') throw new AlreadyFinishedError(status);
      return Promise.resolve({ status: 'cancelled', leaseUntil: null, completedAt: new Date() });
    };
    return this.shown(await this.records.change(caller.workspaceIds, id, caller, accepted, values));
  }

  /** @throws {NotFoundError | PreconditionFailedError | ArchivedError} */
  async archive(caller: Principal, id: string, archived: boolean, accepted: AcceptedVersions): Promise<StagingDto> {
    return this.shown(await this.records.archive(caller.workspaceIds, id, caller, accepted, archived));
  }

  /** The values with who owns the picture; the one that is there stays where it is the same. */
  private async withSource(
    workspaceId: string,
    values: Partial<VirtualStaging>,
    source: Attachable,
    { userId }: Principal,
    accepted: AcceptedVersions,
  ): Promise<Partial<VirtualStaging>> {
    const { externalId } = values;
    const known = externalId ? await this.lockKnown(workspaceId, externalId) : undefined;
    requireVersion(known, accepted);
    const isSame = known !== undefined && (await this.files.isSource(known, source));
    if (known && known.status !== 'queued') {
      const isAsItWas = isSame && Object.keys(pickChanges(known, values)).length === 0;
      if (!isAsItWas) throw new NotQueuedError(known.status);
    }
    if (isSame) return values;
    const sourceId = await this.files.keep(workspaceId, source, userId);
    if (known) await this.files.release(workspaceId, [known.sourceId]);
    return { ...values, sourceId };
  }

  private async lockKnown(workspaceId: string, externalId: string): Promise<VirtualStaging | undefined> {
    const where = { workspaceId, externalId };
    const lock = { mode: 'pessimistic_write' } as const;
    return (await this.database.manager.findOne(VirtualStaging, { where, lock })) ?? undefined;
  }

  private async shown(staging: VirtualStaging): Promise<StagingDto> {
    return (await this.files.show([staging]))[0]!;
  }
}
