import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In } from 'typeorm';
import { v7 as uuid } from 'uuid';
import { BackgroundJobs } from '../../platform/jobs/background-jobs.js';
import { Database } from '../../platform/database/database.js';
import type { Principal } from '../../platform/security/principal.js';
import { resolveWorkspaces } from '../../platform/security/workspace-access.js';
import { requireImages } from '../../platform/body/file-policy.js';
import type { Upload } from '../../platform/body/upload.js';
import { AttachmentsService } from '../attachments/attachments.service.js';
import { ClaimStagingDto, StagingClaimDto } from './dto/claim.dto.js';
import { StagingDto } from './dto/virtual-staging.dto.js';
import { CLAIM, COUNT_VARIATIONS, DROP_LEFTOVERS, EXTENDS, GIVE_UP, REQUEUE, whileHeld } from './render-queue-sql.js';
import { VirtualStagingVariation } from './virtual-staging-variation.entity.js';
import { VirtualStaging, VIRTUAL_STAGING_TYPES, type VirtualStagingStatus } from './virtual-staging.entity.js';
import { ClaimLostError, InvalidStagingError, AlreadyFinishedError } from './virtual-stagings.errors.js';
import { VirtualStagingsService } from './virtual-stagings.service.js';

/** How often an instance looks for claims that went silent, in milliseconds. */
const PAUSE_MS = 2_000;

/** Images that one staging may come to. */
const MAX_VARIATIONS = 100;

const SUCCEEDED = `status = 'succeeded', progress = 100, lease_until = NULL, completed_at = clock_timestamp()`;
const FAILED = `status = 'failed', error = $5, lease_until = NULL, completed_at = clock_timestamp()`;

/** Where its own renderer has brought it. */
const FINISHED: readonly VirtualStagingStatus[] = ['succeeded', 'failed'];

interface Queued {
  workspaceId: string;
  id: string;
}

/** A renderer, and what it says it has. */
export interface Holder {
  caller: Principal;
  id: string;
  token: string;
}

/**
 * The queue that renderers work from. It is the table itself: a claim is a token and a lease on a row, which every call of
 * the renderer extends. All of it is decided by single statements and the database's clock, so that any number of
 * renderers and instances may work at once.
 */
@Injectable()
export class RenderQueueService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly background: BackgroundJobs,
    private readonly attachments: AttachmentsService,
    private readonly stagings: VirtualStagingsService,
  ) {}

  onModuleInit(): void {
    this.background.register('Queueing stagings whose renderer went silent', () => this.requeue());
  }

  /** The oldest staging that waits, for this renderer alone; none where none waits. @throws {NotFoundError} */
  async claim(caller: Principal, { workspaceId, types, leaseSeconds }: ClaimStagingDto): Promise<StagingClaimDto> {
    const workspaceIds = resolveWorkspaces(caller, workspaceId, 'workspaceId');
    const token = randomUUID();
    const parameters = [workspaceIds, types ?? VIRTUAL_STAGING_TYPES, token, leaseSeconds, caller.userId];
    return this.database.transaction(async () => {
      const [claimed] = await this.database.query<Queued & { attempts: number }>(CLAIM, parameters);
      if (!claimed) return { claimToken: null, staging: null };
      if (claimed.attempts > 1) await this.dropLeftovers(claimed);
      return { claimToken: token, staging: await this.stagings.get([claimed.workspaceId], claimed.id) };
    });
  }

  /** Tells that the renderer is at work, and how far it is. @throws {NotFoundError | ClaimLostError} */
  async heartbeat(holder: Holder, progress: number | undefined): Promise<StagingDto> {
    return this.write(holder, `${EXTENDS}, progress = coalesce($5::integer, s.progress)`, progress ?? null);
  }

  /**
   * Adds images that the renderer made: all of them, or none.
   *
   * @throws {NotFoundError | ClaimLostError}
   * @throws {InvalidStagingError | UnsupportedFileTypeError} where there is none, or something else.
   */
  async addVariations(holder: Holder, label: string, uploads: readonly Upload[]): Promise<StagingDto> {
    requireImages(uploads);
    if (uploads.length === 0)
      throw new InvalidStagingError(
        'files',
        'required',
        'A variation has at least one image under files.',
        'malformed',
      );
    // Before the bytes go on their way, which may take long: the lease runs from here.
    const workspaceId = await this.hold(holder, EXTENDS);
    await this.attachments.storeBlobs(workspaceId, uploads);
    return this.database.transaction(async () => {
      const staging = await this.write(holder, EXTENDS);
      await this.insert(workspaceId, holder, label, uploads);
      return this.stagings.get([workspaceId], staging.id);
    });
  }

  /** The renderer is done. @throws {NotFoundError | ClaimLostError} @throws {InvalidStagingError} where it made nothing. */
  async complete(holder: Holder): Promise<StagingDto> {
    return this.database.transaction(async () => {
      const staging = await this.write(holder, SUCCEEDED);
      if (staging.variations.length > 0) return staging;
      const message =
        'A staging succeeds with at least one variation: send it first, or say with /fail why there is none.';
      throw new InvalidStagingError('variations', 'no_variations', message);
    });
  }

  /** The renderer gives up, for good. @throws {NotFoundError | ClaimLostError} */
  async fail(holder: Holder, error: string): Promise<StagingDto> {
    return this.write(holder, FAILED, error);
  }

  private async insert(
    workspaceId: string,
    { caller, id: stagingId, token: claim }: Holder,
    label: string,
    uploads: readonly Upload[],
  ): Promise<void> {
    const [{ count } = { count: 0 }] = await this.database.query<{ count: number }>(COUNT_VARIATIONS, [
      workspaceId,
      stagingId,
      claim,
    ]);
    if (count + uploads.length > MAX_VARIATIONS) {
      const message = `A staging has at most ${MAX_VARIATIONS} variations; it has ${count}.`;
      throw new InvalidStagingError('files', 'too_many_variations', message);
    }
    const variations = uploads.map(() => ({ workspaceId, id: uuid(), stagingId, claim, label }));
    await this.database.manager.insert(VirtualStagingVariation, variations);
    for (const [at, upload] of uploads.entries())
      await this.attachments.attach(workspaceId, variations[at]!.id, [upload], caller.userId);
  }

  private async write(holder: Holder, set: string, ...values: unknown[]): Promise<StagingDto> {
    return this.database.transaction(async () => {
      const workspaceId = await this.hold(holder, set, ...values);
      return this.stagings.get([workspaceId], holder.id);
    });
  }

  /** Sets something while the claim holds. @returns the workspace. @throws {NotFoundError | AlreadyFinishedError | ClaimLostError} */
  private async hold({ caller, id, token }: Holder, set: string, ...values: unknown[]): Promise<string> {
    const { workspaceIds, userId } = caller;
    const parameters = [workspaceIds, id, token, userId, ...values];
    const [held] = await this.database.query<Queued>(whileHeld(set), parameters);
    if (held) return held.workspaceId;
    const { status } = await this.stagings.get(workspaceIds, id);
    if (FINISHED.includes(status) && (await this.isLastClaim(workspaceIds, id, token)))
      throw new AlreadyFinishedError(status);
    throw new ClaimLostError();
  }

  private async isLastClaim(workspaceIds: readonly string[], id: string, claim: string): Promise<boolean> {
    const where = { workspaceId: In([...workspaceIds]), id, claim };
    return this.database.manager.existsBy(VirtualStaging, where);
  }

  /** @returns how long to wait until the next look. */
  private async requeue(): Promise<number> {
    await this.database.query(GIVE_UP);
    await this.database.transaction(async () => {
      for (const staging of await this.database.query<Queued>(REQUEUE)) await this.dropLeftovers(staging);
    });
    return PAUSE_MS;
  }

  /** What a renderer sent before it went silent is no part of what the next one makes. */
  private async dropLeftovers({ workspaceId, id }: Queued): Promise<void> {
    const dropped = await this.database.query<{ id: string }>(DROP_LEFTOVERS, [workspaceId, id]);
    if (dropped.length === 0) return;
    const ids = dropped.map((variation) => variation.id);
    await this.attachments.detach(workspaceId, ids);
  }
}
