import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { SCOPES } from '../../platform/security/scopes.js';
import { AuthorizationServerDto, JwkDto, JwksDto, ProtectedResourceDto } from './dto/discovery.dto.js';
import { IssuerTokensService } from './issuer-tokens.service.js';
import { ALGORITHM } from './signing-key.entity.js';
import { SigningKeysService } from './signing-keys.service.js';
import { TOKEN_PATH } from './token-codec.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';

const WELL_KNOWN = '/.well-known/oauth-authorization-server';
const CLIENT_AUTHENTICATION = ['client_secret_basic', 'client_secret_post'];

/** Public metadata for OAuth 2.0 clients and resource servers. */
@Injectable()
export class DiscoveryService {
  constructor(
    private readonly keys: SigningKeysService,
    private readonly issuers: IssuerTokensService,
    private readonly config: Config,
  ) {}

  /** Only the keys of access tokens: no other service verifies refresh tokens. */
  async keySet(): Promise<JwksDto> {
    const keys = await this.keys.findPublished();
    return { keys: keys.map(({ kid, publicKey }) => toJwk(kid, publicKey)) };
  }

  /**
   * @param path of the issuer, without the slash at its start, if the address of the metadata contains it
   * @throws {DomainError} for the path of another issuer
   */
  authorizationServer(path?: string): AuthorizationServerDto {
    const { publicUrl } = this.config.http;
    if (path !== undefined && `/${path}` !== new URL(publicUrl).pathname)
      throw new DomainError(
        HTTP_ERRORS.not_found,
        `There is no GET ${WELL_KNOWN}/${path}. The issuer is ${publicUrl}.`,
      );
    return {
      issuer: publicUrl,
      token_endpoint: publicUrl + TOKEN_PATH,
      revocation_endpoint: `${publicUrl}/v1/api/oauth2/revoke`,
      jwks_uri: `${publicUrl}/.well-known/jwks.json`,
      scopes_supported: [...SCOPES],
      response_types_supported: [],
      grant_types_supported: ['password', 'client_credentials', 'refresh_token'],
      token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
      revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
      service_documentation: `${publicUrl}/docs`,
    };
  }

  /**
   * Names the issuers at which people sign in first: clients that need one use the first that they can.
   *
   * @param path of the resource, without the slash at its start, if the address of the metadata contains it
   * @throws {DomainError} for the path of another resource
   */
  async protectedResource(path?: string): Promise<ProtectedResourceDto> {
    const { publicUrl } = this.config.http;
    const resource = `${publicUrl}/mcp`;
    if (path !== undefined && `/${path}` !== new URL(resource).pathname)
      throw new DomainError(
        HTTP_ERRORS.not_found,
        `There is no GET /.well-known/oauth-protected-resource/${path}. The resource is ${resource}.`,
      );
    return {
      resource,
      authorization_servers: [...(await this.issuers.listSignInUrls()), publicUrl],
      scopes_supported: [...SCOPES],
      bearer_methods_supported: ['header'],
      resource_documentation: `${publicUrl}/guide/connecting-an-assistant`,
    };
  }
}

/** Lists the members explicitly, so that a private one is never published by accident. */
function toJwk(kid: string, key: KeyObject): JwkDto {
  const { x, y } = key.export({ format: 'jwk' });
  return { kty: 'EC', crv: 'P-256', x: x!, y: y!, kid, use: 'sig', alg: ALGORITHM };
}
