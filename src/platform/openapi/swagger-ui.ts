import type { INestApplication } from '@nestjs/common';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import type { Config } from '../config/config.js';

/**
 * Serves the document at `/openapi.json` and Swagger UI at `/docs`, where whoever asks for nothing is sent. It is built when
 * it is first asked for: that takes a tenth of a start, and most instances are never asked.
 */
export function serveDocument(app: INestApplication, build: () => OpenAPIObject, config: Config): void {
  let built: OpenAPIObject | undefined;
  const document = () => (built ??= build());
  app.use(rootToDocs);
  SwaggerModule.setup('docs', app, document, {
    ui: false,
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
  });
  SwaggerModule.setup('docs', app, () => atThisAddress(document(), config), {
    raw: false,
    customSiteTitle: 'Atrium API',
    swaggerOptions: {
      persistAuthorization: true,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      requestInterceptor: keepPromptAway,
      plugins: [forgetSecret],
    },
  });
}

/**
 * A wrong secret is refused with the challenge that RFC 6749 (section 5.2) demands, for which a browser asks the user
 * for a name and a password, over the page. It does not where the request is without the browser's own credentials.
 * Runs in the browser, to which it is sent as text: it knows nothing but its argument.
 */
function keepPromptAway(request: { headers?: Record<string, string>; credentials?: string }): object {
  if (request.headers?.['Authorization']?.startsWith('Basic ')) request.credentials = 'omit';
  return request;
}

/**
 * `persistAuthorization` would write the client secret into the browser's storage, for good and beside the token that
 * it has been exchanged for. Runs in the browser too.
 */
function forgetSecret(): object {
  type Authorize = (granted: { auth: object }) => unknown;
  const withoutSecret = (authorize: Authorize) => (granted: Parameters<Authorize>[0]) =>
    authorize({ ...granted, auth: { ...granted.auth, clientSecret: '' } });
  return { statePlugins: { auth: { wrapActions: { authorizeOauth2WithPersistOption: withoutSecret } } } };
}

/** The page calls the service at the address at which it was opened: any other would be of another origin. */
function atThisAddress(document: OpenAPIObject, { http }: Config): OpenAPIObject {
  const url = new URL(http.publicUrl).pathname;
  return { ...document, servers: document.servers?.map((server, at) => (at === 0 ? { ...server, url } : server)) };
}

/** No route, which would take `//` too. */
function rootToDocs({ method, path }: Request, response: Response, next: NextFunction): void {
  if (path === '/' && ['GET', 'HEAD'].includes(method)) response.redirect('/docs');
  else next();
}
