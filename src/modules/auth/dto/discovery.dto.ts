import { ApiProperty } from '@nestjs/swagger';
import { SCOPES } from '../../../platform/security/scopes.js';

/** The public key of a key pair that signs access tokens (RFC 7517). */
export class JwkDto {
  @ApiProperty({ enum: ['EC'] })
  kty: 'EC';

  @ApiProperty({ enum: ['P-256'] })
  crv: 'P-256';

  @ApiProperty({ example: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU' })
  x: string;

  @ApiProperty({ example: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0' })
  y: string;

  /** The `kid` header of the tokens that it signs. */
  @ApiProperty({ example: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a' })
  kid: string;

  @ApiProperty({ enum: ['sig'] })
  use: 'sig';

  @ApiProperty({ enum: ['ES256'] })
  alg: 'ES256';
}

/** A set of keys (RFC 7517, section 5). */
export class JwksDto {
  keys: JwkDto[];
}

/** OAuth 2.0 authorization server metadata (RFC 8414). */
export class AuthorizationServerDto {
  /** The `iss` claim of the tokens. */
  @ApiProperty({ format: 'uri', example: 'https://atrium.example.com' })
  issuer: string;

  @ApiProperty({ format: 'uri', example: 'https://atrium.example.com/v1/api/oauth2/token' })
  token_endpoint: string;

  /** RFC 7009. */
  @ApiProperty({ format: 'uri', example: 'https://atrium.example.com/v1/api/oauth2/revoke' })
  revocation_endpoint: string;

  /** The keys that verify access tokens. */
  @ApiProperty({ format: 'uri', example: 'https://atrium.example.com/.well-known/jwks.json' })
  jwks_uri: string;

  @ApiProperty({ isArray: true, enum: SCOPES, enumName: 'Scope' })
  scopes_supported: string[];

  /** Empty, because there is no authorization endpoint. */
  @ApiProperty({ type: [String], example: [] })
  response_types_supported: string[];

  @ApiProperty({ type: [String], example: ['password', 'client_credentials', 'refresh_token'] })
  grant_types_supported: string[];

  @ApiProperty({ type: [String], example: ['client_secret_basic', 'client_secret_post'] })
  token_endpoint_auth_methods_supported: string[];

  @ApiProperty({ type: [String], example: ['client_secret_basic', 'client_secret_post'] })
  revocation_endpoint_auth_methods_supported: string[];

  /** Documentation for people. */
  @ApiProperty({ format: 'uri', example: 'https://atrium.example.com/docs' })
  service_documentation: string;
}

/** OAuth 2.0 protected resource metadata (RFC 9728). */
export class ProtectedResourceDto {
  @ApiProperty({ format: 'uri', example: 'https://atrium.example.com/mcp' })
  resource: string;

  @ApiProperty({ type: [String], example: ['https://atrium.example.com'] })
  authorization_servers: string[];

  @ApiProperty({ isArray: true, enum: SCOPES, enumName: 'Scope' })
  scopes_supported: string[];

  @ApiProperty({ type: [String], example: ['header'] })
  bearer_methods_supported: string[];

  /** Documentation for people. */
  @ApiProperty({ format: 'uri', example: 'https://atrium.example.com/guide/connecting-an-assistant' })
  resource_documentation: string;
}
