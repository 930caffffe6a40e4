import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const IDLE_CHECK_MS = 100;

/** How long a connection that was just accepted may take to send its first request, in milliseconds. */
const FIRST_REQUEST_MS = 1_000;

/**
 * Closes the connections of a server that stops. Without it, `server.close()` waits for keep-alive connections and for
 * those that browsers open in advance and may never use.
 */
export class Connections {
  private readonly open = new Set<Socket>();
  private check?: NodeJS.Timeout;

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.open.add(socket);
      socket.once('close', () => this.open.delete(socket));
    });
  }

  /** From now on, every response is the last one on its connection. */
  lastAnswers(): void {
    this.server.prependListener('request', (_request, response: ServerResponse) =>
      response.setHeader('Connection', 'close'),
    );
  }

  /**
   * Accepts no more connections, then closes the idle ones as soon as they are idle. A new connection, whose first request may
   * be on its way, is closed only if it has sent nothing for a second.
   */
  stopListening(): void {
    this.server.close();
    const stoppedAt = performance.now();
    const closeIdle = () => {
      this.server.closeIdleConnections();
      if (performance.now() - stoppedAt < FIRST_REQUEST_MS) return;
      // Node counts a connection as idle only after its first request.
      for (const socket of this.open) if (socket.bytesRead === 0) socket.destroy();
    };
    this.check = setInterval(closeIdle, IDLE_CHECK_MS);
  }

  /** Closes all connections, including those with running requests. */
  closeAll(): void {
    this.server.closeAllConnections();
  }

  /** Ends the check for idle connections, after the server has closed. */
  done(): void {
    clearInterval(this.check);
  }
}

/** Milliseconds that a sender may continue after the last response of its connection. Most have read it long before. */
const DRAIN_MS = 5_000;

/**
 * Closes a connection after its last response, and lets a caller that is still sending receive it: closing a connection with
 * unread bytes resets it, and the response is lost. So this side ends, reads on for 5 seconds at most, and then closes.
 */
export function endAndDrain(socket: Duplex): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), DRAIN_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** Milliseconds without progress after which the reader of a response is disconnected: the response occupies memory until it ends. */
const STALLED_MS = 60_000;

/** Cuts the connection if its reader reads nothing for a minute. Node may notice this a minute later, if bytes were queued since. */
export function endIfStalled(response: ServerResponse): void {
  response.setTimeout(STALLED_MS, () => response.destroy());
}
