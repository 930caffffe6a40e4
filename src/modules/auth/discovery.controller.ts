import { applyDecorators, Controller, Get, Header, Param } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { Public } from '../../platform/security/require-scope.decorator.js';
import { DiscoveryService } from './discovery.service.js';
import { AuthorizationServerDto, JwksDto, ProtectedResourceDto } from './dto/discovery.dto.js';
import { THROTTLING_ERRORS } from '../../platform/throttling/throttling.errors.js';

/**
 * Shorter than the time between the publication of a key and its first signature, so that caches contain it by then.
 */
const CACHE_CONTROL = 'public, max-age=300';

/** Readable by scripts of any origin: the content is public. */
function PublicMetadata(): MethodDecorator {
  return applyDecorators(Public(), Header('Cache-Control', CACHE_CONTROL), Header('Access-Control-Allow-Origin', '*'));
}

/** Bare JSON as the RFCs define it. */
@ApiTags('Authentication')
@Controller('.well-known')
export class DiscoveryController {
  constructor(private readonly discovery: DiscoveryService) {}

  /** RFC 7517. */
  @Get('jwks.json')
  @PublicMetadata()
  @ApiOperation({
    summary: 'Get the keys that verify access tokens',
    description:
      'For resource servers: the active, the next and the retired keys of valid tokens. Read them again for an unknown ' +
      '`kid`.',
  })
  @ApiOkResponse({ type: JwksDto, description: 'The keys.' })
  @ApiErrors(THROTTLING_ERRORS.too_many_requests)
  keySet() {
    return this.discovery.keySet();
  }

  /** RFC 8414. */
  @Get('oauth-authorization-server')
  @PublicMetadata()
  @ApiOperation({
    summary: 'Get the OAuth 2.0 metadata',
    description: 'Standard clients need only the base address of the service and configure themselves from this.',
  })
  @ApiOkResponse({ type: AuthorizationServerDto, description: 'Endpoints, grants and scopes.' })
  @ApiErrors(THROTTLING_ERRORS.too_many_requests)
  authorizationServer() {
    return this.discovery.authorizationServer();
  }

  /** RFC 9728. */
  @Get('oauth-protected-resource')
  @PublicMetadata()
  @ApiOperation({
    operationId: 'getProtectedResource',
    summary: 'Get the OAuth 2.0 metadata of the resource `/mcp`',
    description: 'Names the issuer of its tokens. The 401 of `/mcp` leads here by `resource_metadata`.',
  })
  @ApiOkResponse({ type: ProtectedResourceDto, description: 'The resource and its authorization server.' })
  @ApiErrors(THROTTLING_ERRORS.too_many_requests)
  protectedResource() {
    return this.discovery.protectedResource();
  }

  /** RFC 9728, section 3.1: the path of the resource follows. */
  @Get('oauth-protected-resource/*resourcePath')
  @PublicMetadata()
  @ApiExcludeEndpoint()
  protectedResourceOfPath(@Param('resourcePath') segments: string[]) {
    return this.discovery.protectedResource(segments.join('/'));
  }

  /** RFC 8414, section 3.1: clients of an issuer with a path look here. */
  @Get('oauth-authorization-server/*issuerPath')
  @PublicMetadata()
  @ApiExcludeEndpoint()
  authorizationServerOfPath(@Param('issuerPath') segments: string[]) {
    return this.discovery.authorizationServer(segments.join('/'));
  }
}
