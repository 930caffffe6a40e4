import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { Public } from '../../platform/security/require-scope.decorator.js';
import { DiscoveryService } from './discovery.service.js';
import { AuthorizationServerDto, JwksDto } from './dto/discovery.dto.js';

/** Shorter than a next key waits before it signs, so that by then everybody has it. */
const CACHED = 'public, max-age=300';

/** Bare JSON, as the RFCs have it, and for scripts of any origin: these are public facts. */
@ApiTags('Authentication')
@Controller('.well-known')
export class DiscoveryController {
  constructor(private readonly discovery: DiscoveryService) {}

  /** RFC 7517. */
  @Get('jwks.json')
  @Public()
  @Header('Cache-Control', CACHED)
  @Header('Access-Control-Allow-Origin', '*')
  @ApiOperation({
    summary: 'The keys that verify access tokens',
    description:
      'For resource servers: the key that signs, the one that will sign next, and those whose tokens still work. ' +
      'Read it again when a token names a `kid` that is not among them.',
  })
  @ApiOkResponse({ type: JwksDto, description: 'The keys.' })
  @ApiErrors(429)
  keySet() {
    return this.discovery.keySet();
  }

  /** RFC 8414. */
  @Get('oauth-authorization-server')
  @Public()
  @Header('Cache-Control', CACHED)
  @Header('Access-Control-Allow-Origin', '*')
  @ApiOperation({
    summary: 'What an OAuth 2.0 client needs to know',
    description: 'Standard clients configure themselves by it, given the address of this service alone.',
  })
  @ApiOkResponse({ type: AuthorizationServerDto, description: 'Endpoints, grants and scopes.' })
  @ApiErrors(429)
  authorizationServer() {
    return this.discovery.authorizationServer();
  }
}
