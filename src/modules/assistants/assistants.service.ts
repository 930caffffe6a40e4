import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { DomainError, StorageFullError } from '../../../packages/errors/src/domain-error.js';
import { runFailureHooks } from '../../platform/http/handler-hooks.js';
import { parseArguments, toErrorResult, type ToolResult, toResult } from './answers.js';
import { NoteTools } from './note-tools.js';
import type { Response } from './protocol.js';
import { ProposalTools } from './proposal-tools.js';
import { RowTools } from './row-tools.js';
import { TableTools } from './table-tools.js';
import { ToolAccess } from './tool-access.js';
import type { Tool } from './tool.js';

/** Answers the messages of assistants. */
@Injectable()
export class AssistantsService {
  private readonly tools: readonly Tool[];

  constructor(
    private readonly access: ToolAccess,
    tables: TableTools,
    rows: RowTools,
    proposals: ProposalTools,
    notes: NoteTools,
  ) {
    this.tools = [...tables.list(), ...rows.list(), ...proposals.list(), ...notes.list()];
  }

  /**
   * @param request which the access guard has accepted.
   * @throws what a tool throws, unless the model can correct it.
   */
  async respond(request: Request): Promise<Response> {
    const { respond } = await import('./protocol.js');
    const failures: unknown[] = [];
    // The SDK would answer 200 with the message of any error.
    const capture = (error: unknown): never => {
      failures.push(error);
      throw new Error('The request has failed.', { cause: error });
    };
    const list = () => this.access.permit(request.identity!, this.tools).catch(capture);
    const call = (name: string, input: unknown) => this.call(request, name, input).catch(capture);
    const response = await respond(request.body, request.get('mcp-protocol-version'), { list, call });
    if (failures.length > 0) throw failures[0];
    return response;
  }

  private async call(request: Request, name: string, input: unknown): Promise<ToolResult | undefined> {
    const named = this.tools.filter((tool) => tool.name === name);
    const [permitted] = await this.access.permit(request.identity!, named);
    if (!permitted) return undefined;
    const { tool, caller } = permitted;
    request.tool = name;
    try {
      return toResult(await tool.run(caller, parseArguments(tool.input, input) as never));
    } catch (error) {
      // The audit log records rejections.
      const final = await runFailureHooks(request.failureHooks ?? [], error);
      if (isOfModel(final)) return toErrorResult(final);
      throw final;
    }
  }
}

/** Can the model correct the error, or send the request again? */
function isOfModel(error: unknown): error is DomainError {
  const isOperational = error instanceof StorageFullError;
  return error instanceof DomainError && !isOperational && !['unauthenticated', 'internal'].includes(error.kind);
}
