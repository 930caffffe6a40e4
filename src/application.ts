/**
 * The Nest application: the adapter, middleware in the order of requests, and the pages (`/`, `/docs`, `/guide`,
 * `/tables`, `/downloads`). Global guards, the pipe and the filter are providers of `platform/request-pipeline.ts`.
 * The gate for overload is before all, in front of the server; POST routes get an interceptor, for idempotency.
 *
 * The guards, in this order: headers of the reply, access (credentials, scope, workspace, role), limit of requests,
 * unknown query parameters, body. They store their results in fields of the request, which services reach by
 * `AsyncLocalStorage`. The pipe rejects unknown fields, and reports the errors of all parameters at once.
 * `ReplyAdapter` wraps the results of handlers with `@Enveloped()` in the envelope. Handlers throw `DomainError`, no
 * exceptions of Nest: `defineErrors()` in a `*.errors.ts` gives each code a kind, which determines the status.
 *
 * src/platform/README.md describes the path of a request, docs/reference/unusual-parts.md what other Nest projects do
 * not have, and why.
 */
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { OpenAPIObject } from '@nestjs/swagger';
import helmet, { type HelmetOptions } from 'helmet';
import type { Logger } from 'pino';
import { API_REFERENCE } from './api-reference.js';
import { AppModule } from './app.module.js';
import { AssistantsModule } from './modules/assistants/assistants.module.js';
import { AuthModule } from './modules/auth/auth.module.js';
import { IdentityModule } from './modules/identity/identity.module.js';
import { IssuersService } from './modules/identity/issuers.service.js';
import { ODataModule } from './modules/odata/odata.module.js';
import { limitUnreadBodies } from './platform/body/body-timeouts.js';
import type { Config } from './platform/config/config.js';
import { Metrics } from './platform/health/metrics.js';
import { corsOptions } from './platform/http/cross-origin.js';
import { compressJson } from './platform/http/compression.js';
import { IdempotentRoutes } from './platform/http/idempotency/idempotent-routes.js';
import { ReplyAdapter } from './platform/http/reply-adapter.js';
import { noStore, rejectDotSegments, requestContext, requestId, requireHost } from './platform/http/middleware.js';
import { parseQueryString } from './platform/http/query-parser.js';
import { restrictPorts } from './platform/http/served-ports.js';
import { serveDownloads } from './pages/downloads.js';
import { serveGuide } from './pages/guide/guide.js';
import { nestLogger } from './platform/logging/logging.js';
import { logRequests } from './platform/logging/request-log.js';
import { buildDocument } from './api-docs/openapi.js';
import { toPublishedDocument } from './api-docs/published-document.js';
import { serveDocument } from './pages/swagger-ui/swagger-ui.js';
import { serveStartPage } from './pages/start-page.js';
import { serveTables } from './pages/tables-page.js';

/**
 * Creates the application without a listening socket.
 *
 * @param runtime absent: only the routes are created, for the OpenAPI document, without a database.
 */
export async function createApplication(
  config: Config,
  runtime?: { databaseUrl: string; logger: Logger },
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.with(config, runtime?.databaseUrl),
    new ReplyAdapter(config),
    {
      logger: runtime ? nestLogger(runtime.logger) : false,
      // The request body guard reads bodies after the caller was authorized.
      bodyParser: false,
      abortOnError: false,
      preview: !runtime,
    },
  );
  if (runtime) app.get(IdempotentRoutes).register();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', config.http.trustProxy.length > 0 ? config.http.trustProxy : false);
  app.set('query parser', parseQueryString);
  const observers = runtime ? [logRequests(runtime.logger), app.get(Metrics).observe] : [];
  const headers = [requestId, helmet(securityHeaders(config)), noStore, requireHost];
  const prepareProtocols = [
    ODataModule.prepareRequest,
    IdentityModule.prepareRequest,
    AssistantsModule.prepareRequest(config.http),
  ];
  const restrictions = [...prepareProtocols, rejectDotSegments, ...restrictPorts(config.http)];
  app.use(...headers, requestContext, limitUnreadBodies, ...observers, ...restrictions);
  const { corsOrigins } = config.http;
  if (corsOrigins.length > 0) app.enableCors(corsOptions(corsOrigins));
  app.use(compressJson(({ path }) => path.toLowerCase().startsWith(AuthModule.secretPath)));
  serveStartPage(app, config);
  serveGuide(app, config);
  serveDownloads(app);
  const listIssuers = () => app.get(IssuersService).listSignIns();
  serveDocument(app, config, API_REFERENCE, listIssuers);
  serveTables(app, config, listIssuers);
  return app;
}

/** The published OpenAPI document of the service. */
export function buildApiDocument(app: NestExpressApplication, config: Config): OpenAPIObject {
  return toPublishedDocument(buildDocument(app, config, API_REFERENCE));
}

/** Does not upgrade plain HTTP, which developers use; Swagger UI may call this service and the staging service. */
function securityHeaders({ http }: Config): HelmetOptions {
  const connectSrc = ["'self'", ...(http.stagingUrl ? [new URL(http.stagingUrl).origin] : [])];
  return {
    contentSecurityPolicy: { directives: { baseUri: ["'none'"], connectSrc, upgradeInsecureRequests: null } },
    strictTransportSecurity: http.publicUrl.startsWith('https:'),
  };
}
