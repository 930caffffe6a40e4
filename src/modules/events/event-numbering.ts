import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { isDatabaseUnavailable } from '../../platform/database/database.errors.js';
import type { Job } from '../../platform/jobs/job.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { EventsRepository } from './events.repository.js';

/** Events that one statement numbers. */
const BATCH = 1_000;

/** Workspaces per look for events of instances that have stopped. */
const MAX_WORKSPACES = 100;

/** The interval of this look while the instance is busy with its own events, in milliseconds. */
const LOOK_MS = 1_000;

/** Events of this many milliseconds are numbered together, so that many writes cause few statements. */
const COLLECTING_MS = 40;

/** Pause while another instance numbers the events of the workspace, in milliseconds. */
const BUSY_MS = 5;
const MAX_ATTEMPTS = 200;

type Listener = (workspaceId: string, lastSequence: number) => void;

/**
 * Numbers events after their transactions have committed (ADR 0061). Only one statement at a time numbers the events of
 * a workspace, so a reader that has seen a number has seen all lower ones.
 */
@Injectable()
export class EventNumbering implements OnModuleInit {
  private readonly logger = new Logger(EventNumbering.name);
  private readonly workspaces = new Set<string>();
  private readonly listeners: Listener[] = [];
  private timer: NodeJS.Timeout | undefined;
  private job: Job | undefined;
  private lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly repository: EventsRepository,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    const due = 'SELECT workspace_id FROM pending_events';
    this.job = this.jobs.processQueue({ name: 'Numbering events', due, run: () => this.numberAll() });
  }

  /** From now on, the listener is called when this instance has numbered events. */
  onNumbered(listener: Listener): void {
    this.listeners.push(listener);
  }

  /** Numbers the committed events of the workspace in a moment. */
  request(workspaceId: string): void {
    this.workspaces.add(workspaceId);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.job?.runSoon();
    }, COLLECTING_MS).unref();
  }

  /** Numbers the committed events of a workspace now. */
  async number(workspaceId: string): Promise<void> {
    let last: number | null = null;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const { numbered, lastSequence, hasCounter, hasPending } = await this.repository.number(workspaceId, BATCH);
      last = lastSequence ?? last;
      if (!hasPending || (numbered > 0 && numbered < BATCH)) break;
      if (!hasCounter) await this.repository.createCounter(workspaceId);
      else if (numbered === 0) await delay(BUSY_MS);
    }
    if (last !== null) for (const listener of this.listeners) listener(workspaceId, last);
  }

  private async numberAll(): Promise<number | undefined> {
    const requested = [...this.workspaces];
    this.workspaces.clear();
    const found = requested.length === 0 || this.isLookDue() ? await this.look() : [];
    for (const workspaceId of new Set([...requested, ...found])) await this.numberUnlessUnreachable(workspaceId);
    return found.length === MAX_WORKSPACES ? 0 : undefined;
  }

  /**
   * If the server of a workspace is unreachable, the others are not delayed. The look finds the events when it has
   * returned.
   */
  private async numberUnlessUnreachable(workspaceId: string): Promise<void> {
    try {
      await this.number(workspaceId);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      this.logger.warn(`Numbering events failed: ${(error as Error).message}`);
    }
  }

  private isLookDue(): boolean {
    return performance.now() - this.lookedAt >= LOOK_MS;
  }

  /** Finds events that no instance numbers: one has stopped after the commit, or a statement has failed. */
  private look(): Promise<string[]> {
    this.lookedAt = performance.now();
    return this.repository.listPending(MAX_WORKSPACES);
  }
}
