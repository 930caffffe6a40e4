import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In } from 'typeorm';
import { uuid } from '../../../packages/sql/src/uuid.js';
import { requireImages } from '../../platform/body/file-policy.js';
import type { Upload } from '../../platform/body/upload.js';
import { Database } from '../../platform/database/database.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import type { Principal } from '../../platform/security/principal.js';
import { resolveWorkspaces } from '../../platform/security/workspace-access.js';
import { AttachmentsService } from '../attachments/attachments.service.js';
import { RecordEventsService } from '../events/record-events.service.js';
import {
  VirtualStagingCompletedDto,
  VirtualStagingFailedDto,
  VirtualStagingQueuedDto,
} from './dto/virtual-staging-events.dto.js';
import { ClaimStagingDto, StagingClaimDto } from './dto/claim.dto.js';
import { StagingDto } from './dto/virtual-staging.dto.js';
import {
  EXPIRED_CLAIMS,
  OLDEST_QUEUED,
  type JobId,
  type RendererCall,
  RenderQueueRepository,
} from './render-queue.repository.js';
import { VirtualStagingVariation } from './virtual-staging-variation.entity.js';
import { VirtualStaging, VIRTUAL_STAGING_TYPES, type VirtualStagingStatus } from './virtual-staging.entity.js';
import { AlreadyFinishedError, InvalidStagingError, STAGING_ERRORS } from './virtual-staging.errors.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { VirtualStagingsService } from './virtual-stagings.service.js';
import { DomainError } from '../../../packages/errors/src/domain-error.js';

/** Variations per claim. */
export const MAX_VARIATIONS = 100;

/** The final statuses that a renderer sets. */
const FINISHED: readonly VirtualStagingStatus[] = ['succeeded', 'failed'];

/** The calls of renderers: claim a virtual staging, renew the lease, upload variations, finish. */
@Injectable()
export class RenderQueueService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly attachments: AttachmentsService,
    private readonly stagings: VirtualStagingsService,
    private readonly queue: RenderQueueRepository,
    private readonly events: RecordEventsService,
  ) {}

  onModuleInit(): void {
    this.jobs.processQueue({
      name: 'Queueing virtual stagings with an expired lease again',
      due: EXPIRED_CLAIMS,
      run: () => this.requeueExpired(),
      oldest: { queue: 'virtual_stagings', select: OLDEST_QUEUED },
    });
  }

  /** Claims the oldest queued virtual staging; both fields are null if there is none. @throws {NotFoundError} */
  async claim(caller: Principal, { workspaceId, types, leaseSeconds }: ClaimStagingDto): Promise<StagingClaimDto> {
    const workspaceIds = resolveWorkspaces(caller, workspaceId, 'workspaceId');
    const token = randomUUID();
    return this.database.transaction(async () => {
      const claimed = await this.queue.claimOldest(
        workspaceIds,
        types ?? VIRTUAL_STAGING_TYPES,
        token,
        leaseSeconds,
        caller,
      );
      if (!claimed) return { claimToken: null, staging: null };
      if (claimed.attempts > 1) await this.deleteStaleVariations(claimed);
      return {
        claimToken: token,
        staging: await this.stagings.get({ workspaceIds: [claimed.workspaceId] }, claimed.id),
      };
    });
  }

  /**
   * Renews the lease and stores the progress.
   *
   * @throws {NotFoundError | AlreadyFinishedError | DomainError} `claim_lost`
   */
  async heartbeat(call: RendererCall, progress: number | undefined): Promise<StagingDto> {
    return this.update(call, () => this.queue.renewLease(call, progress));
  }

  /**
   * Adds rendered images: all of them or none. Renews the lease.
   *
   * @throws {NotFoundError | AlreadyFinishedError | DomainError} `claim_lost`
   * @throws {InvalidStagingError | UnsupportedFileTypeError} without images, with too many, or with another type of
   *   file.
   */
  async addVariations(call: RendererCall, label: string, uploads: readonly Upload[]): Promise<StagingDto> {
    requireImages(uploads);
    if (uploads.length === 0) throw new InvalidStagingError(HTTP_ERRORS.required, 'files');
    // Storing the bytes may take long: the renewed lease covers it.
    const renewLease = () => this.queue.renewLease(call);
    const workspaceId = await this.requireClaim(call, renewLease);
    await this.attachments.storeBlobs(workspaceId, uploads);
    return this.database.transaction(async () => {
      await this.requireClaim(call, renewLease);
      await this.insertVariations(workspaceId, call, label, uploads);
      return this.stagings.get({ workspaceIds: [workspaceId] }, call.id);
    });
  }

  /**
   * Sets the status `succeeded`.
   *
   * @throws {NotFoundError | AlreadyFinishedError | DomainError} `claim_lost`
   * @throws {InvalidStagingError} without a variation.
   */
  async complete(call: RendererCall): Promise<StagingDto> {
    return this.database.transaction(async () => {
      const staging = await this.update(call, () => this.queue.succeed(call));
      if (staging.variations.length > 0) {
        await this.events.record(staging.workspaceId, VirtualStagingCompletedDto, [staging]);
        return staging;
      }
      throw new InvalidStagingError(STAGING_ERRORS.no_variations, 'variations');
    });
  }

  /** Sets the status `failed`. @throws {NotFoundError | AlreadyFinishedError | DomainError} `claim_lost` */
  async fail(call: RendererCall, error: string): Promise<StagingDto> {
    return this.database.transaction(async () => {
      const staging = await this.update(call, () => this.queue.fail(call, error));
      await this.events.record(staging.workspaceId, VirtualStagingFailedDto, [staging]);
      return staging;
    });
  }

  /** @throws {NotFoundError | AlreadyFinishedError | DomainError} `claim_lost` */
  private async update(call: RendererCall, statement: () => Promise<string | undefined>): Promise<StagingDto> {
    return this.database.transaction(async () => {
      const workspaceId = await this.requireClaim(call, statement);
      return this.stagings.get({ workspaceIds: [workspaceId] }, call.id);
    });
  }

  /**
   * Runs a statement that requires a valid claim.
   *
   * @returns the workspace of the virtual staging.
   * @throws {NotFoundError | AlreadyFinishedError | DomainError} `claim_lost`
   */
  private async requireClaim(
    { caller, id, token }: RendererCall,
    statement: () => Promise<string | undefined>,
  ): Promise<string> {
    const workspaceId = await statement();
    if (workspaceId !== undefined) return workspaceId;
    const { status } = await this.stagings.get(caller, id);
    const where = { workspaceId: In([...caller.workspaceIds]), id, claim: token };
    if (FINISHED.includes(status) && (await this.database.repository(VirtualStaging).existsBy(where)))
      throw new AlreadyFinishedError(status);
    throw new DomainError(STAGING_ERRORS.claim_lost);
  }

  private async insertVariations(
    workspaceId: string,
    { caller, id: stagingId, token: claim }: RendererCall,
    label: string,
    uploads: readonly Upload[],
  ): Promise<void> {
    const repository = this.database.repository(VirtualStagingVariation);
    const count = await repository.countBy({ workspaceId, stagingId, claim });
    if (count + uploads.length > MAX_VARIATIONS) {
      const message = `${uploads.length} more variations exceed the limit of ${MAX_VARIATIONS}; the virtual staging has ${count}.`;
      throw new InvalidStagingError(STAGING_ERRORS.too_many_variations, 'files', message);
    }
    const variations = uploads.map(() => ({ workspaceId, id: uuid(), stagingId, claim, label }));
    await repository.insert(variations);
    for (const [index, upload] of uploads.entries())
      await this.attachments.attach(workspaceId, variations[index]!.id, [upload], caller.userId);
  }

  /** @returns undefined if no lease had expired. */
  private async requeueExpired(): Promise<0 | undefined> {
    let ended = 0;
    for (const { isExhausted, ...job } of await this.queue.listExpired()) {
      const end = () => (isExhausted ? this.failExhausted(job) : this.requeue(job));
      if (await this.database.transaction(end)) ended++;
    }
    return ended > 0 ? 0 : undefined;
  }

  /** @returns false if another instance was faster. */
  private async failExhausted(job: JobId): Promise<boolean> {
    if (!(await this.queue.failExhausted(job))) return false;
    await this.events.record(job.workspaceId, VirtualStagingFailedDto, [job]);
    return true;
  }

  /** @returns false if another instance or a renderer was faster. */
  private async requeue(job: JobId): Promise<boolean> {
    if (!(await this.queue.requeueExpired(job))) return false;
    await this.deleteStaleVariations(job);
    await this.events.record(job.workspaceId, VirtualStagingQueuedDto, [job]);
    return true;
  }

  /** The next renderer starts without the variations of an expired claim. */
  private async deleteStaleVariations(job: JobId): Promise<void> {
    const ids = await this.queue.deleteStaleVariations(job);
    if (ids.length > 0) await this.attachments.detach(job.workspaceId, ids);
  }
}
