import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Enveloped } from '../../platform/http/envelope.js';
import { Public } from '../../platform/security/require-scope.decorator.js';
import { IssuersService } from './issuers.service.js';

/**
 * The issuers at which people sign in, for the pages and the command line of this service, which call the issuers
 * themselves. Not in the OpenAPI document, which lists the issuers as security schemes.
 */
@ApiExcludeController()
@Controller('v1/api/oauth2/issuers')
export class SignInIssuersController {
  constructor(private readonly issuers: IssuersService) {}

  @Get()
  @Public()
  @Enveloped(null)
  async list() {
    return { items: await this.issuers.listSignIns() };
  }
}
