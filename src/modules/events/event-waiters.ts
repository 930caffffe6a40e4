import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { EventNumbering } from './event-numbering.js';
import { Turns } from '../../platform/turns.js';
import { TooManyWaitingError } from './events.errors.js';
import { EventsRepository } from './events.repository.js';
import { listenOnce } from '../../platform/listeners.js';
import { pauseRequest, runOutsideRequest } from '../../platform/http/middleware.js';

/** How often an instance looks for events that other instances have numbered, while readers wait, in milliseconds. */
const LOOK_INTERVAL_MS = 1_000;

/** A reader that waits for events. */
export interface Waiter {
  /** Resolves when the workspace has an event after the number, and when the waiting ends for another reason. */
  until(after: number): Promise<void>;
  /** Has the waiting ended: by time, by the caller or because the instance stops? */
  readonly hasEnded: boolean;
  end(): void;
}

interface WaitingReader {
  workspaceId: string;
  after: number;
  wake: () => void;
}

/**
 * Readers that wait for events. This instance wakes them when it has numbered events; one statement per second finds
 * the events that other instances have numbered, for all readers together.
 */
@Injectable()
export class EventWaiters implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(EventWaiters.name);
  private readonly readers = new Set<WaitingReader>();
  /** The last numbers that this instance knows, of workspaces with readers. */
  private readonly known = new Map<string, number>();
  /** Ends the waiting of each caller. */
  private readonly stops = new Set<() => void>();
  private readonly turns: Turns;
  private isStopping = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly numbering: EventNumbering,
    private readonly repository: EventsRepository,
    config: Config,
  ) {
    this.turns = Turns.ofCallers(config.events.maxWaiting);
  }

  onModuleInit(): void {
    this.numbering.onNumbered((workspaceId, lastSequence) => this.wake(workspaceId, lastSequence));
  }

  beforeApplicationShutdown(): void {
    this.isStopping = true;
    for (const stop of this.stops) stop();
  }

  /**
   * @param userId of the caller, who can use only a part of the slots.
   * @param disconnected aborts when the caller is no longer connected.
   * @throws {TooManyWaitingError}
   */
  start(userId: string, workspaceId: string, seconds: number, disconnected: AbortSignal): Waiter {
    const release = this.turns.acquireNow(userId, (limit) => new TooManyWaitingError(limit));
    const ended = new AbortController();
    const stop = () => ended.abort();
    const timer = setTimeout(stop, seconds * 1_000);
    this.stops.add(stop);
    listenOnce(disconnected, 'abort', stop);
    if (disconnected.aborted || this.isStopping) stop();
    return {
      until: (after) => pauseRequest(this.waitFor(workspaceId, after, ended.signal)),
      get hasEnded() {
        return ended.signal.aborted;
      },
      end: () => {
        clearTimeout(timer);
        this.stops.delete(stop);
        release();
      },
    };
  }

  private async waitFor(workspaceId: string, after: number, ended: AbortSignal): Promise<void> {
    if (ended.aborted || (this.known.get(workspaceId) ?? 0) > after) return;
    await new Promise<void>((wake) => {
      const reader = { workspaceId, after, wake };
      const leave = () => {
        this.readers.delete(reader);
        endListening();
        wake();
      };
      reader.wake = leave;
      const endListening = listenOnce(ended, 'abort', leave);
      this.readers.add(reader);
      this.timer ??= runOutsideRequest(() => this.lookLater());
    });
  }

  private wake(workspaceId: string, lastSequence: number): void {
    const found = [...this.readers].filter((reader) => reader.workspaceId === workspaceId);
    if (found.length > 0) this.known.set(workspaceId, lastSequence);
    for (const reader of found) if (lastSequence > reader.after) reader.wake();
  }

  private lookLater(): NodeJS.Timeout {
    return setTimeout(() => void this.look(), LOOK_INTERVAL_MS).unref();
  }

  private async look(): Promise<void> {
    try {
      const workspaceIds = [...new Set([...this.readers].map(({ workspaceId }) => workspaceId))];
      for (const workspaceId of this.known.keys())
        if (!workspaceIds.includes(workspaceId)) this.known.delete(workspaceId);
      const found = workspaceIds.length > 0 ? await this.repository.listLastSequences(workspaceIds) : [];
      for (const { workspaceId, lastSequence } of found) this.wake(workspaceId, lastSequence);
    } catch (error) {
      this.logger.warn(`Looking for new events failed: ${(error as Error).message}`);
    }
    this.timer = this.readers.size > 0 ? this.lookLater() : undefined;
  }
}
