import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

const CHECK_MS = 50;
const CHECK_TIMEOUT_MS = 1_000;
/** After which a connection of a client ends that sends nothing. */
const IDLE_MS = 600_000;

interface Instance {
  url: string;
  isReady: boolean;
}

/**
 * Distributes requests over instances as a load balancer does: it checks their readiness, and sends a request to
 * another instance if the connection fails before a response. If no instance is ready, all receive requests: on a busy
 * machine, the checks of all may be too late at once.
 */
export class LoadBalancer {
  /** Requests that were sent again because a connection failed. */
  retried = 0;
  private instances: Instance[] = [];
  private next = 0;
  private readonly agent = new Agent({ keepAlive: true });
  private readonly timer = setInterval(() => void this.check(), CHECK_MS);

  private constructor(private readonly server: Server) {}

  static async start(): Promise<LoadBalancer> {
    // Writers retain their connections while the machine stalls.
    const server = createServer({ keepAliveTimeout: IDLE_MS });
    const balancer = new LoadBalancer(server);
    server.on('request', (incoming, outgoing) => void balancer.forward(incoming, outgoing));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  add(url: string): void {
    this.instances.push({ url, isReady: true });
  }

  remove(url: string): void {
    this.instances = this.instances.filter((instance) => instance.url !== url);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.agent.destroy();
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private async check(): Promise<void> {
    const checks = this.instances.map(async (instance) => {
      const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
      const ready = await fetch(`${instance.url}/health/ready`, { signal }).catch(() => undefined);
      instance.isReady = ready?.ok === true;
      await ready?.arrayBuffer().catch(() => undefined);
    });
    await Promise.all(checks);
  }

  private async forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const ready = this.instances.filter(({ isReady }) => isReady);
    const targets = ready.length > 0 ? ready : this.instances;
    for (let attempt = 0; attempt < targets.length; attempt++) {
      if (await this.send(targets[this.next++ % targets.length]!, incoming, body, outgoing)) return;
      this.retried++;
    }
    outgoing.writeHead(502).end();
  }

  /** @returns whether there was a response. */
  private send({ url }: Instance, incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse): Promise<boolean> {
    const { method, headers } = incoming;
    return new Promise((done) => {
      const sent = request(url + incoming.url!, { method, headers, agent: this.agent }, (response) => {
        const fail = () => outgoing.destroy();
        outgoing.writeHead(response.statusCode!, response.headers);
        response.once('error', fail).pipe(outgoing);
        done(true);
      });
      sent.once('error', () => done(false));
      sent.end(body);
    });
  }
}
