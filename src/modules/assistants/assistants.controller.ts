import { Controller, Header, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { BodyShape, ExactNumbers } from '../../platform/body/body.decorators.js';
import { FinishedReply } from '../../platform/http/finished-reply.js';
import { NoIdempotencyKey } from '../../platform/http/idempotency/no-idempotency-key.decorator.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { AssistantsService } from './assistants.service.js';

/**
 * The endpoint of the Model Context Protocol: Streamable HTTP without sessions and without streams. Its messages are
 * JSON-RPC 2.0, which the protocol describes (`tools/list`), not the OpenAPI document.
 */
@ApiExcludeController()
@ObeysPolicies()
@Controller('mcp')
export class AssistantsController {
  constructor(private readonly assistants: AssistantsService) {}

  @Post()
  @HttpCode(200)
  @RequireScope(['read:workspaces', 'read:projects'], 'reader')
  @NoIdempotencyKey()
  // JSON-RPC distinguishes the number 1 and the text "1" as IDs.
  @ExactNumbers('id')
  @BodyShape('one message of JSON-RPC')
  @Header('Cache-Control', 'no-store')
  async send(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<FinishedReply> {
    const answer = await this.assistants.respond(request);
    response.status(answer.status);
    return new FinishedReply((await answer.text()) || undefined);
  }
}
