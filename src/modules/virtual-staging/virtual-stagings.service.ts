import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type FindOptionsWhere, In } from 'typeorm';
import type { Upload } from '../../platform/body/upload.js';
import { Database } from '../../platform/database/database.js';
import { Directory } from '../../platform/database/directory.js';
import type { RecordsById } from '../../platform/database/entity-columns.js';
import { type AcceptedVersions, requireVersion } from '../../platform/http/conditional-requests.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import type { Principal, WorkspaceAccess } from '../../platform/security/principal.js';
import { ArchivableRecordService } from '../../records/archivable-record.service.js';
import { RecordCounters } from '../../records/record-counters.js';
import { pickChanges, type UpsertResult } from '../../records/record-values.js';
import type { Attachable } from '../attachments/attachments.service.js';
import { RecordEventsService } from '../events/record-events.service.js';
import { ToursService } from '../tours/tours.service.js';
import {
  VirtualStagingCancelledDto,
  VirtualStagingCompletedDto,
  VirtualStagingFailedDto,
  VirtualStagingQueuedDto,
} from './dto/virtual-staging-events.dto.js';
import { ChangeStagingDto, CreateStagingDto, ListStagingsDto, StagingDto } from './dto/virtual-staging.dto.js';
import { VirtualStagingImages } from './virtual-staging-images.js';
import { VirtualStaging } from './virtual-staging.entity.js';
import { AlreadyFinishedError, NotQueuedError } from './virtual-staging.errors.js';

/** Virtual stagings for the callers that request them. Renderers use the RenderQueueService. */
@Injectable()
export class VirtualStagingsService
  extends ArchivableRecordService<VirtualStaging, StagingDto>
  implements OnModuleInit
{
  constructor(
    database: Database,
    directory: Directory,
    private readonly counters: RecordCounters,
    private readonly tours: ToursService,
    private readonly images: VirtualStagingImages,
    private readonly events: RecordEventsService,
  ) {
    super(database, directory, {
      entity: VirtualStaging,
      kind: 'staging',
      label: 'The virtual staging',
      searched: ['roomType', 'style'],
      immutable: ['tourId', 'projectId'],
      requireOpenParent: ({ workspaceId, tourId }, field) =>
        tours.getOpen({ workspaceIds: [workspaceId] }, tourId, field),
    });
  }

  onModuleInit(): void {
    this.counters.registerEntity('tour', 'stagings', VirtualStaging);
    const types = [
      VirtualStagingQueuedDto,
      VirtualStagingCompletedDto,
      VirtualStagingFailedDto,
      VirtualStagingCancelledDto,
    ];
    this.events.complete(this, 'virtualStaging', types, { withPolicies: true });
    this.onChange(async (workspaceId, change, stagings) => {
      if (change === 'created') await this.events.record(workspaceId, VirtualStagingQueuedDto, stagings);
    });
  }

  /**
   * Queues a virtual staging, or updates the queued one with this external ID.
   *
   * @throws {NotFoundError | ArchivedError} if the tour is absent or archived.
   * @throws {InvalidStagingError | UnsupportedFileTypeError} without exactly one image.
   * @throws {ParentImmutableError | NotQueuedError}
   */
  async create(
    caller: Principal,
    { tourId: requestedTourId, sourceFileId, ...body }: CreateStagingDto,
    uploads: readonly Upload[],
    accepted: AcceptedVersions,
  ): Promise<UpsertResult<StagingDto>> {
    this.images.requireOneSource(uploads, sourceFileId);
    const tour = await this.tours.getOpen(caller, requestedTourId, 'tourId');
    const { workspaceId, id: tourId, projectId } = tour;
    const source = await this.images.storeSource(workspaceId, uploads, sourceFileId);
    const toInput = async () => {
      const values = { ...body, tourId, projectId };
      return { workspaceId, values: await this.attachSource(workspaceId, values, source, caller, accepted) };
    };
    return this.upsert(toInput, caller, accepted);
  }

  async list(
    caller: Principal,
    { projectId, tourId, status, type, ...query }: ListStagingsDto,
  ): Promise<Page<StagingDto>> {
    const filter: FindOptionsWhere<VirtualStaging> = {};
    if (projectId) filter.projectId = projectId;
    if (tourId) filter.tourId = tourId;
    if (status) filter.status = In(status);
    if (type) filter.type = In(type);
    return this.database.snapshot(() => this.getPage(caller, query, filter));
  }

  /** In a snapshot: the source image may be replaced between two statements. */
  override get(access: WorkspaceAccess, id: string): Promise<StagingDto> {
    return this.database.snapshot(() => super.get(access, id));
  }

  /** In a snapshot, as `get`. */
  override readByIds(workspaceId: string, ids: readonly string[]): Promise<RecordsById<StagingDto>> {
    return this.database.snapshot(() => super.readByIds(workspaceId, ids));
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
    return this.toDto(await this.records.change(caller, id, caller, accepted, values));
  }

  /**
   * Cancelling again changes nothing.
   *
   * @throws {NotFoundError | PreconditionFailedError | ArchivedError | AlreadyFinishedError}
   */
  async cancel(caller: Principal, id: string, accepted: AcceptedVersions): Promise<StagingDto> {
    const values = async ({ workspaceId, status }: VirtualStaging): Promise<Partial<VirtualStaging>> => {
      if (status === 'cancelled') return {};
      if (status !== 'queued' && status !== 'processing') throw new AlreadyFinishedError(status);
      await this.events.record(workspaceId, VirtualStagingCancelledDto, [{ id }]);
      return { status: 'cancelled', leaseUntil: null, completedAt: new Date() };
    };
    return this.toDto(await this.records.change(caller, id, caller, accepted, values));
  }

  /** Attaches the source image, unless the virtual staging with the external ID already has it. */
  private async attachSource(
    workspaceId: string,
    values: Partial<VirtualStaging>,
    source: Attachable,
    { userId }: Principal,
    accepted: AcceptedVersions,
  ): Promise<Partial<VirtualStaging>> {
    const { externalId } = values;
    const existing = externalId ? await this.lockByExternalId(workspaceId, externalId) : undefined;
    requireVersion(existing, accepted);
    const hasSource = existing !== undefined && (await this.images.hasSource(existing, source));
    if (existing && existing.status !== 'queued') {
      const isUnchanged = hasSource && Object.keys(pickChanges(existing, values)).length === 0;
      if (!isUnchanged) throw new NotQueuedError(existing.status);
    }
    if (hasSource) return values;
    const sourceId = await this.images.attachSource(workspaceId, source, userId);
    if (existing) await this.images.detachSource(existing);
    return { ...values, sourceId };
  }

  private async lockByExternalId(workspaceId: string, externalId: string): Promise<VirtualStaging | undefined> {
    const where = { workspaceId, externalId };
    const lock = { mode: 'pessimistic_write' } as const;
    return (await this.database.repository(VirtualStaging).findOne({ where, lock })) ?? undefined;
  }

  protected toDtos(stagings: readonly VirtualStaging[]): Promise<StagingDto[]> {
    return this.images.toDtos(stagings);
  }
}
