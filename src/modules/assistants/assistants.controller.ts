import { Controller, Header, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { BodyShape, ExactNumbers } from '../../platform/body/body.decorators.js';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { ApiErrors, ApiErrorsAlsoAs } from '../../platform/http/error.dto.js';
import { FinishedReply } from '../../platform/http/finished-reply.js';
import { NoIdempotencyKey } from '../../platform/http/idempotency/no-idempotency-key.decorator.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { ASSISTANT_ERRORS } from './assistants.errors.js';
import { ProtocolErrorDto, ProtocolMessageDto } from './dto/protocol-message.dto.js';
import { AssistantsService } from './assistants.service.js';

/** The endpoint of the Model Context Protocol: Streamable HTTP without sessions and without streams. */
@ApiGroup({
  name: 'Assistants',
  description:
    'Tools for assistants by the Model Context Protocol. They read what the caller may read, and propose changes.',
  guide: 'connecting-an-assistant',
})
@ObeysPolicies()
@Controller('mcp')
export class AssistantsController {
  constructor(private readonly assistants: AssistantsService) {}

  @Post()
  @HttpCode(200)
  // Each tool needs the scope and the role of its REST operation.
  @RequireScope(['read:workspaces', 'read:projects'], 'reader')
  @NoIdempotencyKey()
  @ExactNumbers()
  @BodyShape('one message of JSON-RPC')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'sendAssistantMessage',
    summary: 'Send a message of the Model Context Protocol',
    description: 'A message of JSON-RPC 2.0, such as `tools/list` or `tools/call`.',
  })
  @ApiBody({ type: ProtocolMessageDto, examples: { first: { value: { jsonrpc: '2.0', id: 1, method: 'ping' } } } })
  @ApiResponse({ status: 200, description: 'The response.', type: ProtocolMessageDto })
  @ApiResponse({ status: 202, description: 'The message was a notification.' })
  @ApiErrors(ASSISTANT_ERRORS.origin_not_allowed)
  @ApiErrorsAlsoAs(ProtocolErrorDto)
  async send(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<FinishedReply> {
    const { status, body } = await this.assistants.respond(request);
    response.status(status);
    return new FinishedReply(body);
  }
}
