import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import helmet, { type HelmetOptions } from 'helmet';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import { DemoService } from './modules/demo/demo.service.js';
import { BackgroundJobs } from './platform/jobs/background-jobs.js';
import { CleanupJobs } from './platform/jobs/cleanup-jobs.js';
import type { Config } from './platform/config/config.js';
import { Metrics } from './platform/health/metrics.js';
import { Readiness } from './platform/health/readiness.js';
import { Connections } from './platform/http/connections.js';
import { limitUnreadBodies } from './platform/body/unread-body.js';
import { parseQuery } from './platform/http/query-parser.js';
import { noStore, requestContext, requestId } from './platform/http/middleware.js';
import { requestLog } from './platform/logging/logging.js';
import { buildDocument } from './platform/openapi/openapi.js';
import { serveDocument } from './platform/openapi/swagger-ui.js';

/** Node's defaults keep a slow sender for a minute, and a connection for five seconds, which proxies outlive. */
const HEADERS_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** How often Node looks whose time is over; its default would let a slow sender stay for half a minute more. */
const CONNECTIONS_CHECK_MS = 2_000;

/** The headers of answers that web pages of other origins may read. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Link',
  'Location',
  'ETag',
  'Deprecation',
  'Idempotent-Replayed',
  'WWW-Authenticate',
];

/** The running service: the application, listening. */
export class Service {
  private readonly server: Server;
  private readonly connections: Connections;
  private stopping = false;

  private constructor(
    private readonly app: NestExpressApplication,
    private readonly config: Config,
    private readonly logger: Logger,
  ) {
    this.server = app.getHttpServer();
    this.connections = new Connections(this.server);
  }

  static async start(config: Config, logger: Logger, nestLogger: LoggerService): Promise<Service> {
    const app = await createApplication(config, nestLogger, logger);
    const service = new Service(app, config, logger);
    try {
      await service.listen();
    } catch (error) {
      // What is open by now goes too, an embedded PostgreSQL above all.
      await app.close();
      throw error;
    }
    return service;
  }

  /** Drains: not ready any more, no new connections, what is under way is finished, then the database goes. */
  async stop(signal: string): Promise<void> {
    if (this.stopping) return;
    this.stopping = true;
    this.logger.info(`${signal}: draining`);
    this.app.get(Readiness).drain();
    this.connections.lastAnswers();
    const overdue = setTimeout(() => {
      this.logger.warn('Requests still under way are cut off');
      this.connections.closeAll();
    }, this.config.http.drainMs + this.config.http.shutdownTimeoutMs);
    // Whoever spreads the load needs a moment to see that this instance is not ready.
    await delay(this.config.http.drainMs);
    this.connections.closeIdle();
    await this.app.close();
    this.connections.done();
    clearTimeout(overdue);
    this.logger.info('Stopped');
    process.exit(0);
  }

  private async listen(): Promise<void> {
    const { port, host } = this.config.http;
    this.server.headersTimeout = HEADERS_TIMEOUT_MS;
    // How long a body may take is for its route to say: Node would end a long import after five minutes.
    this.server.requestTimeout = 0;
    this.server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
    // Read when the server begins to listen; missing in Node's typings, where it is an option of the constructor alone.
    Object.assign(this.server, { connectionsCheckingInterval: CONNECTIONS_CHECK_MS });
    await this.app.init();
    // Whoever waits for the service to be ready will then read the demo's credentials.
    const demo = this.config.database.url ? undefined : await this.app.get(DemoService).ensure(localAddress(port));
    try {
      await this.app.listen(port, host);
    } catch (error) {
      throw (error as { code?: string }).code === 'EADDRINUSE' ? new Error(`PORT: ${port} is in use`) : error;
    }
    this.app.get(CleanupJobs).start();
    this.app.get(BackgroundJobs).start();
    if (demo) process.stdout.write(welcome(this.config, demo));
    this.logger.info(`Ready at ${localAddress(port)}; Swagger UI at ${localAddress(port)}/docs`);
  }
}

function localAddress(port: number): string {
  return `http://localhost:${port}`;
}

/** The application with everything but a socket. */
export async function createApplication(
  config: Config,
  nestLogger: LoggerService | false,
  logger?: Logger,
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(config), {
    logger: nestLogger,
    // Bodies are read once the caller is known; see the request body guard.
    bodyParser: false,
    abortOnError: false,
    // Without a logger nobody listens: the application is made for its routes alone.
    preview: logger === undefined,
  });
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', config.http.trustProxy.length > 0 ? config.http.trustProxy : false);
  app.set('query parser', parseQuery);
  app.use(requestId, requestContext, limitUnreadBodies);
  if (logger) app.use(requestLog(logger), app.get(Metrics).observe);
  app.use(helmet(securityHeaders(config)), noStore);
  const { corsOrigins } = config.http;
  if (corsOrigins.length > 0) app.enableCors({ origin: corsOrigins, exposedHeaders: EXPOSED_HEADERS });
  serveDocument(app, () => buildDocument(app, config), config);
  return app;
}

/** Plain http on a developer's machine must stay plain, for Swagger UI too, which calls this service and staging. */
function securityHeaders({ http }: Config): HelmetOptions {
  const connectSrc = ["'self'", ...(http.stagingUrl ? [new URL(http.stagingUrl).origin] : [])];
  return {
    contentSecurityPolicy: { directives: { connectSrc, upgradeInsecureRequests: null } },
    strictTransportSecurity: http.publicUrl.startsWith('https:'),
  };
}

type Demo = Awaited<ReturnType<DemoService['ensure']>>;

function welcome(config: Config, demo: Demo): string {
  const baseUrl = localAddress(config.http.port);
  return `
  Atrium is ready at ${baseUrl}
  Swagger UI         ${baseUrl}/docs

  A demo workspace is there to try. Its credentials are in ${config.dataDir}/demo-credentials.json
${process.stdout.isTTY ? secretsOf(demo, baseUrl) : ''}
`;
}

/** For a terminal alone: a file or a pipe may be kept and read by others. */
function secretsOf(demo: Demo, baseUrl: string): string {
  return `
    workspaceId   ${demo.workspaceId}
    clientId      ${demo.clientId}
    clientSecret  ${demo.clientSecret}
    apiKey        ${demo.apiKey}

  Read a list with the key, or sign in with the client credentials:

    curl -s ${baseUrl}/v1/api/projects -H 'X-API-Key: ${demo.apiKey}'

    curl -s ${baseUrl}/v1/api/oauth2/token -H 'Content-Type: application/json' \\
      -d '{"grant_type":"password","client_id":"${demo.clientId}","client_secret":"${demo.clientSecret}"}'
`;
}
