import type { CallToolResult, Tool as DescribedTool } from '@modelcontextprotocol/sdk/types.js';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { DomainError, StorageFullError } from '../../../packages/errors/src/domain-error.js';
import { runFailureHooks } from '../../platform/http/handler-hooks.js';
import type { Principal } from '../../platform/security/principal.js';
import { grantsAny } from '../../platform/security/scopes.js';
import { toPrincipal } from '../../platform/security/workspace-access.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { parseArguments, toErrorResult, toResult } from './answers.js';
import { NoteTools } from './note-tools.js';
import { RowTools } from './row-tools.js';
import { TableTools } from './table-tools.js';
import type { Tool } from './tool.js';

/** Answers the messages of assistants. */
@Injectable()
export class AssistantsService {
  private readonly tools: readonly Tool[];

  constructor(
    private readonly workspaces: WorkspacesService,
    tables: TableTools,
    rows: RowTools,
    notes: NoteTools,
  ) {
    this.tools = [...tables.tools, ...rows.tools, ...notes.tools];
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
    const list = async () => (await this.permit(request, this.tools).catch(capture)).map(describe);
    const call = (name: string, input: unknown) => this.call(request, name, input).catch(capture);
    const response = await respond(request.body, request.get('mcp-protocol-version'), list, call);
    if (failures.length > 0) throw failures[0];
    return response;
  }

  private async call(request: Request, name: string, input: unknown): Promise<CallToolResult | undefined> {
    const named = this.tools.filter((tool) => tool.name === name);
    const [permitted] = await this.permit(request, named);
    if (!permitted) return undefined;
    const { tool, caller } = permitted;
    request.tool = name;
    try {
      return toResult(await tool.run(caller, parseArguments(tool.input, input) as never), tool);
    } catch (error) {
      // The audit log records rejections.
      const final = await runFailureHooks(request.failureHooks ?? [], error);
      if (isOfModel(final)) return toErrorResult(final);
      throw final;
    }
  }

  /** The tools whose scope and role the caller has in a workspace that permits them, each with its caller. */
  private async permit({ identity }: Request, tools: readonly Tool[]) {
    const { memberships, scopes: granted } = identity!;
    const found = await this.workspaces.listForAssistants(memberships.map((each) => each.workspaceId));
    const settings = new Map(found.map(({ id, assistants }) => [id, assistants]));
    return tools.flatMap((tool) => {
      const { scopes, role, isReadOnly } = tool;
      if (!scopes.some((scope) => grantsAny(granted, scope))) return [];
      // The services obey access policies.
      const caller = toPrincipal(identity!, { scopes, role, obeysPolicies: () => true });
      const permitting = isReadOnly ? ['read', 'propose'] : ['propose'];
      const workspaceIds = caller.workspaceIds.filter((id) => permitting.includes(settings.get(id)!));
      return workspaceIds.length > 0 ? [{ tool, caller: { ...caller, workspaceIds } }] : [];
    });
  }
}

/** Callers with one workspace are not asked for it. */
function describe({ tool: { described }, caller: { workspaceIds } }: { tool: Tool; caller: Principal }): DescribedTool {
  if (workspaceIds.length === 1) return described;
  const description = 'list_tables without it lists the workspaces.';
  const workspaceId = { type: 'string', enum: workspaceIds, description };
  const properties = { workspaceId, ...described.inputSchema.properties };
  return { ...described, inputSchema: { ...described.inputSchema, properties } };
}

/** Can the model correct the error, or send the request again? */
function isOfModel(error: unknown): error is DomainError {
  const isOperational = error instanceof StorageFullError;
  return error instanceof DomainError && !isOperational && !['unauthenticated', 'internal'].includes(error.kind);
}
