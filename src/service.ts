/** The running process: listens, drains after a signal, and ends. `main.ts` starts it. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { createApplication } from './application.js';
import { DemoIssuerService } from './modules/demo/demo-issuer.service.js';
import { DemoService } from './modules/demo/demo.service.js';
import type { OpenDatabase } from './open-database.js';
import type { Config } from './platform/config/config.js';
import { Readiness } from './platform/health/readiness.js';
import { endAfterUncaughtErrors } from './platform/health/uncaught-errors.js';
import { Connections } from './platform/http/connections.js';
import type { FurtherPorts } from './platform/http/further-ports.js';
import type { ReplyAdapter } from './platform/http/reply-adapter.js';
import { areDocumentsPublic, listPorts, portSetting } from './platform/http/served-ports.js';
import { ODataModule } from './modules/odata/odata.module.js';
import { answerUnreadableRequests } from './platform/http/unreadable-requests.js';
import { Jobs } from './platform/jobs/jobs.js';
import { closeLogger, createLogger } from './platform/logging/logging.js';
import { OverloadGate } from './platform/overload/overload-gate.js';
import { stopTelemetry } from './platform/telemetry/telemetry.js';

/** Time limit for the headers of a request; Node's default is a minute. */
const HEADERS_TIMEOUT_MS = 10_000;
/** Longer than the idle timeout of common proxies, which would otherwise reuse a connection that Node just closed. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/**
 * Connections that wait for their acceptance. Beyond, the system drops them, and callers repeat the attempt after
 * seconds. Node's default is 511; the system limits it to its own maximum, in Linux `net.core.somaxconn`.
 */
const BACKLOG = 4_096;
/** How often Node applies the limits above; its default of 30 s would prolong them. */
const CONNECTIONS_CHECK_MS = 2_000;
/** How long the end of cut requests and jobs may take after the shutdown timeout. */
const CUT_MS = 1_000;
/** How much longer than its limits the end of the process may take after an uncaught error. */
const END_MS = 5_000;

/** A running service: its application, listening, and its database. */
export class Service {
  private readonly server: Server;
  private readonly connections: Connections;
  private readonly furtherPorts: FurtherPorts;
  private stopping = false;
  private exitCode = 0;

  private constructor(
    private readonly app: NestExpressApplication,
    private readonly database: OpenDatabase,
    private readonly config: Config,
    private readonly logger: Logger,
  ) {
    this.server = app.getHttpServer();
    this.connections = new Connections(this.server);
    this.furtherPorts = (app.getHttpAdapter() as ReplyAdapter).furtherPorts;
  }

  /** @throws Error if it cannot start; the database is stopped then. */
  static async start(config: Config, database: OpenDatabase): Promise<Service> {
    let app: NestExpressApplication | undefined;
    try {
      const logger = await createLogger(config);
      app = await createApplication(config, { databaseUrl: database.url, logger });
      const service = new Service(app, database, config, logger);
      const { drainMs, shutdownTimeoutMs } = config.http;
      endAfterUncaughtErrors(logger, () => service.fail(), drainMs + shutdownTimeoutMs + END_MS);
      await service.listen();
      return service;
    } catch (error) {
      await app?.close();
      await database.stop();
      throw error;
    }
  }

  /**
   * Drains: reports not ready and continues to serve until the load balancer has noticed; then accepts no new
   * connections, finishes the requests under way, and stops the database.
   *
   * @param reason a signal, for example.
   */
  async stop(reason: string): Promise<void> {
    if (this.stopping) return;
    this.stopping = true;
    this.logger.info(`${reason}: draining`);
    this.app.get(Readiness).drain();
    this.connections.announceClose();
    // After Ctrl-C, there is no load balancer to wait for.
    const drainMs = reason === 'SIGINT' ? 0 : this.config.http.drainMs;
    const overdue = setTimeout(() => {
      this.logger.warn('The shutdown timeout is over; closing the remaining connections');
      this.connections.closeAll();
      setTimeout(() => this.abandon(), CUT_MS);
    }, drainMs + this.config.http.shutdownTimeoutMs);
    // The load balancer needs time to notice that this instance is not ready. Until then, it sends requests.
    await delay(drainMs);
    this.connections.stopListening();
    this.furtherPorts.stopListening();
    await this.app.close();
    await this.database.stop();
    this.connections.stopChecks();
    clearTimeout(overdue);
    await stopTelemetry();
    this.logger.info('Stopped');
    await closeLogger(this.logger);
    process.exit(this.exitCode);
  }

  /** Ends the process although work continues, such as a statement whose server is silent. Its leases expire. */
  private abandon(): void {
    this.logger.error('Work has not ended after the shutdown timeout; the process ends');
    const exit = () => process.exit(1);
    closeLogger(this.logger).then(exit, exit);
  }

  /** Drains as after SIGTERM, and ends the process with code 1. */
  private fail(): Promise<void> {
    this.exitCode = 1;
    return this.stop('Uncaught error');
  }

  private async listen(): Promise<void> {
    const { port } = this.config.http;
    this.server.headersTimeout = HEADERS_TIMEOUT_MS;
    // Each route limits its own body: Node's default would end a long import after five minutes.
    this.server.requestTimeout = 0;
    this.server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
    // Node reads it in listen(), but its typings know it only as an option of the constructor.
    Object.assign(this.server, { connectionsCheckingInterval: CONNECTIONS_CHECK_MS });
    answerUnreadableRequests(this.server, ODataModule.findErrorForm);
    await this.app.init();
    this.app.get(OverloadGate).protect(this.server);
    // Before listening: a script that waits for readiness reads the credentials next.
    const demo = this.config.database.url ? undefined : await this.app.get(DemoService).ensure(localUrl(port));
    const { demoPort } = this.config.issuers;
    const issuer =
      demo && demoPort !== undefined
        ? await this.app.get(DemoIssuerService).start(demoPort, demo.workspaceId)
        : undefined;
    for (const each of listPorts(this.config.http)) await this.listenOn(each);
    this.app.get(Jobs).start();
    if (demo) process.stdout.write(describeStart(this.config, demo, issuer));
    this.logger.info(`Ready at ${this.config.http.publicUrl}${describeDocuments(this.config)}`);
    for (const warning of this.config.warnings) this.logger.warn(warning);
  }

  /** @throws Error that names the setting because of which the service cannot listen. */
  private async listenOn(port: number): Promise<void> {
    const { http } = this.config;
    const options = { port, host: http.host, backlog: BACKLOG };
    try {
      if (port === http.port) await once(this.server.listen(options), 'listening');
      else await this.furtherPorts.listen(options);
    } catch (error) {
      throw toSettingError(error as NodeJS.ErrnoException, http.host, `${portSetting(port, http)}: ${port}`);
    }
  }
}

function toSettingError(error: NodeJS.ErrnoException, host: string, port: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new Error(`${port} is in use`);
    case 'EACCES':
      return new Error(`${port} may not be used by this process`);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
      return new Error(`HOST: ${host} is not an address of this machine`);
    default:
      return error;
  }
}

/** Continues the line that the service is ready. */
function describeDocuments({ http }: Config): string {
  return http.docsPort === null ? '' : `; Swagger UI at ${documentsUrl(http)}`;
}

/** A port of their own is not published. */
function documentsUrl(http: Config['http']): string {
  return `${areDocumentsPublic(http) ? http.publicUrl : localUrl(http.docsPort!)}/docs`;
}

function localUrl(port: number): string {
  return `http://localhost:${port}`;
}

type Demo = Awaited<ReturnType<DemoService['ensure']>>;

function describeStart(config: Config, demo: Demo, issuer: string | undefined): string {
  const { publicUrl, docsPort } = config.http;
  return `
  Atrium is ready at ${publicUrl}
  Swagger UI         ${docsPort === null ? 'off (DOCS_PORT)' : documentsUrl(config.http)}
  Assistants (MCP)   ${publicUrl}/mcp${issuer === undefined ? '' : `\n  Demo issuer        ${issuer}`}

  A demo workspace is ready. Its credentials are in ${config.dataDir}/demo-credentials.json
${process.stdout.isTTY ? describeCredentials(demo, publicUrl) : ''}
`;
}

/** Only for a terminal: a file or a pipe may be stored, and others may read it. */
function describeCredentials(demo: Demo, baseUrl: string): string {
  return `
    workspaceId   ${demo.workspaceId}
    clientId      ${demo.clientId}
    clientSecret  ${demo.clientSecret}
    apiKey        ${demo.apiKey}

  List the projects with the API key, or sign in with the client credentials (data.access_token is the token):

    curl -s ${baseUrl}/v1/api/projects -H 'X-API-Key: ${demo.apiKey}'

    curl -s ${baseUrl}/v1/api/oauth2/token -H 'Content-Type: application/json' \\
      -d '{"grant_type":"password","client_id":"${demo.clientId}","client_secret":"${demo.clientSecret}"}'
`;
}
