import { Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import { socketOf } from './connection-pool.js';
import type { NodeOutages } from './node-outages.js';
import type { PooledClient } from './pooled-client.js';

/** How often the connections in use are observed, in milliseconds. */
const INTERVAL_MS = 250;

/** How long a statement receives nothing before its nodes are checked, in milliseconds. */
const SILENT_MS = 500;

/** How often the nodes are checked while a connection that was silent at the last check is still silent, in milliseconds. */
const RECHECK_MS = 2_000;

interface Use {
  bytes: number;
  /** When the connection was last observed to receive bytes, or to execute nothing. */
  since: number;
  /** Were the nodes checked since then? */
  isChecked: boolean;
}

/**
 * Notices that a node of a cluster does not respond, for example because it is frozen or its network drops packets. The coordinator then waits:
 * it does not end the statement before the node responds, even if the statement is canceled. Therefore the nodes are checked while a statement receives
 * nothing, and connections whose statements need a node without a response are closed: the statements fail, and the pool connects
 * again. A slow statement on other nodes is not affected.
 */
export class NodeWatch {
  private readonly logger = new Logger(NodeWatch.name);
  private readonly uses = new Map<PooledClient, Use>();
  private timer?: NodeJS.Timeout;
  private checkedAt = -Infinity;

  constructor(
    pool: Pool,
    private readonly outages: NodeOutages,
  ) {
    pool.on('acquire', (acquired) => {
      const client = acquired as unknown as PooledClient;
      client.gate ??= outages;
      this.uses.set(client, { bytes: -1, since: 0, isChecked: false });
      this.timer ??= setInterval(() => this.observe(), INTERVAL_MS).unref();
    });
    const remove = (client: unknown) => this.uses.delete(client as PooledClient);
    pool.on('release', (_, client) => remove(client));
    pool.on('remove', remove);
  }

  private observe(): void {
    if (this.uses.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    const now = performance.now();
    const silent = [...this.uses].filter(([client, use]) => isSilent(client, use, now));
    if (silent.length === 0) return;
    this.closeUnreachable(silent.map(([client]) => client));
    this.checkNodes(
      silent.map(([, use]) => use),
      now,
    );
  }

  private checkNodes(silent: readonly Use[], now: number): void {
    // An outage is checked again by itself.
    if (this.outages.statements) return;
    const pause = silent.some(({ isChecked }) => !isChecked) ? SILENT_MS : RECHECK_MS;
    if (now - this.checkedAt < pause) return;
    for (const use of silent) use.isChecked = true;
    this.checkedAt = Infinity;
    const onEnd = () => (this.checkedAt = performance.now());
    void this.outages
      .update()
      .then(() => this.observe())
      .then(onEnd, onEnd);
  }

  private closeUnreachable(silent: readonly PooledClient[]): void {
    const { statements } = this.outages;
    if (!statements) return;
    const closed = silent.filter(({ running }) => running && statements.mayInclude(running));
    if (closed.length === 0) return;
    this.logger.error(`A node of the cluster does not respond; closing ${closed.length} connections`);
    const error = new Error('Connection terminated: a node of the cluster does not respond');
    for (const client of closed) socketOf(client).destroy(error);
  }
}

function isSilent(client: PooledClient, use: Use, now: number): boolean {
  const bytes = socketOf(client).bytesRead;
  if (bytes !== use.bytes || !client.running) {
    Object.assign(use, { bytes, since: now, isChecked: false });
    return false;
  }
  return now - use.since >= SILENT_MS;
}
