import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Config } from '../platform/config/config.js';
import {
  API_KEY_SCHEME,
  BASIC_KEY_SCHEME,
  BASIC_SCHEME,
  BEARER_SCHEME,
  OAUTH2_SCHEME,
} from '../platform/security/require-scope.decorator.js';
import { SCOPE_DESCRIPTIONS } from '../platform/security/scopes.js';
import { describeFiles } from '../platform/body/files-body.decorator.js';
import { describeErrors } from './error-responses.js';
import { toOpenApi31 } from './openapi-31.js';
import { operationIdOf } from './operation-ids.js';
import { describeOperations } from './operation-descriptions.js';
import type { ApiReference } from './reference.js';
import { describeSchemas } from './schemas.js';
import { SHARED_MODELS } from './shared-fields.js';
import { shareComponents } from './shared-components.js';
import { declareWebhooks, findWebhookModels } from './webhooks.js';
import { ErrorDto } from '../platform/http/error.dto.js';

/** Builds the OpenAPI 3.1.0 document, version 1.0.0 (specification, section 9). */
export function buildDocument(app: INestApplication, config: Config, reference: ApiReference): OpenAPIObject {
  const { tokenPath, operationNames, groups, recordModels } = reference;
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Atrium')
    .setDescription(DESCRIPTION)
    .setVersion('1.0.0')
    .addServer(config.http.publicUrl, 'This service')
    .addOAuth2(
      {
        type: 'oauth2',
        description:
          'Client ID and client secret. Without a selected scope it requests `api`, which limited clients do not have. ' +
          'The session has no refresh token, and ends after 15 minutes by default.',
        flows: {
          clientCredentials: { tokenUrl: relativePath(config.http.publicUrl + tokenPath), scopes: SCOPE_DESCRIPTIONS },
        },
      },
      OAUTH2_SCHEME,
    )
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
      {
        type: 'apiKey',
        in: 'header',
        name: 'X-API-Key',
        description: 'A static key of a user, valid in one workspace.',
      },
      API_KEY_SCHEME,
    )
    .addBasicAuth(
      { type: 'http', scheme: 'basic', description: 'Client ID and client secret, only for the token endpoint.' },
      BASIC_SCHEME,
    )
    .addBasicAuth(
      {
        type: 'http',
        scheme: 'basic',
        description: 'Any user name, and an API key as the password; only for the OData feed.',
      },
      BASIC_KEY_SCHEME,
    );
  if (config.http.stagingUrl) builder.addServer(config.http.stagingUrl, 'Staging');
  const created = SwaggerModule.createDocument(app, builder.build(), {
    extraModels: [...SHARED_MODELS, ErrorDto, ...recordModels, ...findWebhookModels(reference.webhooks)],
    // Nest appends a number to the method for each of several paths.
    operationIdFactory: (controller, method) =>
      operationIdOf(controller, method.replace(/\[\d+\]$/, ''), operationNames),
  });
  const document = toOpenApi31(created);
  // An SPDX expression: the license has no page.
  document.info.license = { name: 'Proprietary', identifier: 'LicenseRef-Atrium' } as typeof document.info.license;
  declareWebhooks(document, reference.webhooks);
  describeOperations(document, groups, config.http.publicUrl);
  describeFiles(document);
  describeSchemas(document, recordModels);
  describeErrors(document);
  shareComponents(document);
  return document;
}

/** OpenAPI 3.1 resolves it against the selected server; tokens are valid only on the server that issued them. */
function relativePath(url: string): string {
  return new URL(url).pathname;
}

const DESCRIPTION = `Projects, 3D tours, notes, users, workspaces, and master data in tables.

Every successful response has one envelope, \`{ status, message, timestamp, data }\`; every error response has one shape,
\`{ status, message, timestamp, error, requestId, details? }\`, whose \`error\` is a stable machine code. With \`Accept: application/problem+json\` errors have the form of RFC 9457.

Sign in with \`POST /v1/api/oauth2/token\` and send \`Authorization: Bearer …\`, or send \`X-API-Key\`.`;
