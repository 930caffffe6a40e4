import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const IDLE_CHECK_MS = 100;

/**
 * The connections of a server that is to stop. Closing it alone would wait for connections that are kept alive, and for
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

  /** From now on an answer is the last one on its connection, and its caller is told. */
  lastAnswers(): void {
    this.server.prependListener('request', (_request, response: ServerResponse) =>
      response.setHeader('Connection', 'close'),
    );
  }

  /** From now on a connection on which nothing is under way is closed. */
  closeIdle(): void {
    const close = () => {
      this.server.closeIdleConnections();
      // Node counts a connection as idle only after its first request.
      for (const socket of this.open) if (socket.bytesRead === 0) socket.destroy();
    };
    close();
    this.check = setInterval(close, IDLE_CHECK_MS);
  }

  /** From now on all is closed, whatever is under way. */
  closeAll(): void {
    this.server.closeAllConnections();
  }

  /** The server has closed. */
  done(): void {
    clearInterval(this.check);
  }
}
