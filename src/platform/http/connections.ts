import { AsyncResource } from 'node:async_hooks';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { listen, listenOnce } from '../listeners.js';

/** Interval of the checks for idle connections, in milliseconds. */
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
    listen(server, 'connection', (socket: Socket) => {
      this.open.add(socket);
      listenOnce(socket, 'close', () => this.open.delete(socket));
    });
  }

  /** Makes every response from now on the last one of its connection. */
  announceClose(): void {
    // eslint-disable-next-line no-restricted-syntax -- before the listener that answers; setting a header cannot fail
    this.server.prependListener('request', (_request, response: ServerResponse) =>
      response.setHeader('Connection', 'close'),
    );
  }

  /**
   * Accepts no more connections, and closes each connection as soon as it is idle. A new connection, whose first
   * request may be on its way, is closed only if it has sent nothing for a second.
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

  /** Ends the checks for idle connections, after the server has closed. */
  stopChecks(): void {
    clearInterval(this.check);
  }
}

/**
 * Starts a request when the responses of all former requests of its connection are sent. A caller may send requests
 * without waiting for responses: each would run at once, and Node reports the end of a connection only for the first
 * one, so nothing of the others would be released. A request whose turn is after the end of the connection is not
 * executed.
 */
export function startInTurn(response: ServerResponse, start: () => void): void {
  if (response.socket) {
    start();
    return;
  }
  // The former response starts the next request, which must not inherit its context.
  const startNext = AsyncResource.bind(start);
  // Node writes what the response already contains after this event.
  listenOnce(response, 'socket', () => process.nextTick(startNext));
}

/** Milliseconds that a caller may continue to send after the last response of its connection. */
const DRAIN_MS = 5_000;

/**
 * Closes a connection after its last response, so that a caller that is still sending receives the response: closing a
 * connection with unread bytes resets the connection, and the response is lost.
 */
export function endAndDrain(socket: Duplex): void {
  // Node leaves the errors of a connection that it no longer reads, such as one of CONNECT, to its new owner.
  listen(socket, 'error', () => socket.destroy());
  socket.end();
  const timer = setTimeout(() => socket.destroy(), DRAIN_MS);
  listenOnce(socket, 'close', () => clearTimeout(timer));
}

/** Milliseconds without progress after which a caller is disconnected: its response occupies memory until it ends. */
const STALLED_MS = 60_000;

/** Closes the connection of a stalled response. If bytes were queued since, Node notices the stall a minute later. */
export function endIfStalled(response: ServerResponse): void {
  response.setTimeout(STALLED_MS, () => response.destroy());
}
