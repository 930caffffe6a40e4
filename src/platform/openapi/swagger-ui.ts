import type { INestApplication } from '@nestjs/common';
import type { ExpressAdapter } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import type { Config } from '../config/config.js';
import { ServedDocument } from './served-document.js';

/**
 * Serves the document at `/openapi.json` and Swagger UI at `/docs`, and redirects `/` there. The first request builds the
 * document, because that takes a tenth of the start and most instances never need it.
 */
export function serveDocument(app: INestApplication, build: () => OpenAPIObject, config: Config): void {
  let document: OpenAPIObject | undefined;
  let served: ServedDocument | undefined;
  const getDocument = () => (document ??= build());
  const getServed = () => (served ??= new ServedDocument(getDocument()));
  app.use(redirectRoot);
  (app.getHttpAdapter() as ExpressAdapter).get('/openapi.json', (request: Request, response: Response) =>
    getServed().send(request, response, config.http.compression),
  );
  SwaggerModule.setup('docs', app, getDocument, { ui: false, raw: ['yaml'], yamlDocumentUrl: 'openapi.yaml' });
  SwaggerModule.setup('docs', app, () => withRelativeServer(getDocument(), config), {
    raw: false,
    customSiteTitle: 'Atrium API',
    swaggerOptions: {
      persistAuthorization: true,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      requestInterceptor: suppressPrompt,
      plugins: [dropClientSecret],
    },
  });
}

/**
 * A wrong client secret is answered with the challenge of RFC 6749, section 5.2, for which the browser would open a login
 * prompt. It does not if the request omits the browser's own credentials. Sent to the browser as text, so the function uses
 * only its argument.
 */
function suppressPrompt(request: { headers?: Record<string, string>; credentials?: string }): object {
  if (request.headers?.['Authorization']?.startsWith('Basic ')) request.credentials = 'omit';
  return request;
}

/**
 * `persistAuthorization` would store the client secret in the browser in addition to the token. Runs in the browser, too.
 */
function dropClientSecret(): object {
  type Authorize = (granted: { auth: object }) => unknown;
  // A method, because the bundle names other functions by a helper that the browser does not have.
  return {
    statePlugins: {
      auth: {
        wrapActions: {
          authorizeOauth2WithPersistOption(authorize: Authorize) {
            return (granted: Parameters<Authorize>[0]) =>
              authorize({ ...granted, auth: { ...granted.auth, clientSecret: '' } });
          },
        },
      },
    },
  };
}

/** Swagger UI calls the service at the origin of the page, because a browser blocks other origins. */
function withRelativeServer(document: OpenAPIObject, { http }: Config): OpenAPIObject {
  const url = new URL(http.publicUrl).pathname;
  return {
    ...document,
    servers: document.servers?.map((server, index) => (index === 0 ? { ...server, url } : server)),
  };
}

/** Middleware, because a route would also match `//`. */
function redirectRoot({ method, path }: Request, response: Response, next: NextFunction): void {
  if (path === '/' && ['GET', 'HEAD'].includes(method)) response.redirect('/docs');
  else next();
}
