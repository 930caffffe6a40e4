import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Config } from '../config/config.js';
import { declareIdempotencyKeys } from '../http/idempotency/idempotency-document.js';
import { API_KEY_SCHEME, BASIC_SCHEME, BEARER_SCHEME, OAUTH2_SCHEME } from '../security/require-scope.decorator.js';
import { SCOPE_DESCRIPTIONS } from '../security/scopes.js';
import { TOKEN_PATH } from '../security/token-path.js';
import { describeFiles } from '../body/files-body.decorator.js';
import { toOpenApi31 } from './openapi-31.js';

/** The interface description, version 1.0.0 in OpenAPI 3.1.0 (specification, section 9). */
export function buildDocument(app: INestApplication, config: Config): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Atrium')
    .setDescription(DESCRIPTION)
    .setVersion('1.0.0')
    .setLicense('Proprietary', `${config.http.publicUrl}/docs`)
    .addServer(config.http.publicUrl, 'This service')
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: 'The `access_token` of `POST /v1/api/oauth2/token`, valid for 15 minutes by default.',
      },
      BEARER_SCHEME,
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A static key, bound to one workspace.' },
      API_KEY_SCHEME,
    )
    .addOAuth2(
      {
        type: 'oauth2',
        description:
          'Client id and client secret alone. The session has no refresh token and is over after 15 minutes by default, ' +
          "so that trying things out does not fill a user's ten places.",
        flows: { clientCredentials: { tokenUrl: tokenUrl(config), scopes: SCOPE_DESCRIPTIONS } },
      },
      OAUTH2_SCHEME,
    )
    .addBasicAuth(
      { type: 'http', scheme: 'basic', description: 'Client id and client secret, for the token endpoint alone.' },
      BASIC_SCHEME,
    );
  if (config.http.stagingUrl) builder.addServer(config.http.stagingUrl, 'Staging');
  const document = SwaggerModule.createDocument(app, builder.build(), {
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  declareOpenRoutes(document);
  declareIdempotencyKeys(document);
  describeFiles(document, config.uploads.maxFiles);
  return toOpenApi31(document);
}

/** Relative to the server that was chosen, as OpenAPI 3.1 has it: the tokens of one server are worth nothing to another. */
function tokenUrl({ http }: Config): string {
  return new URL(http.publicUrl + TOKEN_PATH).pathname;
}

/** A route that needs no credentials says so, in place of saying nothing. */
function declareOpenRoutes(document: OpenAPIObject): void {
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path) as { security?: unknown[] }[]) operation.security ??= [];
  }
}

const DESCRIPTION = `A workspace and project management service: projects, 3D tours, users, workspaces, and workspace master data
in tables (functional locations, equipment, lists) that enterprises push in bulk and read back page by page.

Every success is wrapped in one envelope, \`{ status, message, timestamp, data }\`; every failure has one shape,
\`{ status, message, timestamp, error, requestId, details? }\`, whose \`error\` is a stable machine code.

A POST with an \`Idempotency-Key\` may be sent again when no answer came: it takes effect once, and the first answer is
given again.

Sign in with \`POST /v1/api/oauth2/token\` and send \`Authorization: Bearer …\`, or send \`X-API-Key\`.`;
