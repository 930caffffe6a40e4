import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { SCOPES } from '../../platform/security/scopes.js';
import { AuthorizationServerDto, JwkDto, JwksDto } from './dto/discovery.dto.js';
import { ALGORITHM } from './signing-key.entity.js';
import { SigningKeysService } from './signing-keys.service.js';
import { TOKEN_PATH } from './token-codec.js';

const CLIENT_AUTHENTICATION = ['client_secret_basic', 'client_secret_post'];

/** Public metadata for OAuth 2.0 clients and resource servers. */
@Injectable()
export class DiscoveryService {
  constructor(
    private readonly keys: SigningKeysService,
    private readonly config: Config,
  ) {}

  /** Only the keys of access tokens: no other service verifies refresh tokens. */
  async keySet(): Promise<JwksDto> {
    const keys = await this.keys.findPublished();
    return { keys: keys.map(({ kid, publicKey }) => toJwk(kid, publicKey)) };
  }

  authorizationServer(): AuthorizationServerDto {
    const { publicUrl } = this.config.http;
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
}

/** Lists the members explicitly, so that a private one is never published by accident. */
function toJwk(kid: string, key: KeyObject): JwkDto {
  const { x, y } = key.export({ format: 'jwk' });
  return { kty: 'EC', crv: 'P-256', x: x!, y: y!, kid, use: 'sig', alg: ALGORITHM };
}
