import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer, type ListenOptions, type Server as Listener } from 'node:net';

/** Ports of an HTTP server in addition to its own. Their connections have all limits of the server. */
export class FurtherPorts {
  private readonly listeners: Listener[] = [];

  constructor(private readonly server: Server) {}

  /** @throws Error of Node if it cannot listen. */
  async listen(options: ListenOptions): Promise<void> {
    // The options with which Node's HTTP server accepts its own connections.
    const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.server.emit('connection', socket);
    });
    await once(listener.listen(options), 'listening');
    this.listeners.push(listener);
  }

  /** Accepts no more connections. `Connections` closes the idle ones. */
  stopListening(): void {
    for (const listener of this.listeners) if (listener.listening) listener.close();
  }

  /** Waits for the end of all connections: the server waits only for those of its own port. */
  async close(): Promise<void> {
    this.stopListening();
    for (const listener of this.listeners) if (await hasConnections(listener)) await once(listener, 'close');
  }
}

function hasConnections(listener: Listener): Promise<boolean> {
  return new Promise((resolve) => {
    listener.getConnections((_error, count) => resolve(count > 0));
  });
}
