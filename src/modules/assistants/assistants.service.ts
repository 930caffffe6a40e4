import type { CallToolResult, Tool as DescribedTool } from '@modelcontextprotocol/sdk/types.js';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import {
  DomainError,
  InvalidRequestError,
  NotFoundError,
  StorageFullError,
} from '../../../packages/errors/src/domain-error.js';
import { runFailureHooks } from '../../platform/http/handler-hooks.js';
import type { Principal } from '../../platform/security/principal.js';
import { grantsAny } from '../../platform/security/scopes.js';
import { toPrincipal } from '../../platform/security/workspace-access.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { parseArguments, toErrorResult, toResult } from './answers.js';
import { ASSISTANT_ERRORS } from './assistants.errors.js';
import { NoteTools } from './note-tools.js';
import { RowTools } from './row-tools.js';
import { TableTools } from './table-tools.js';
import type { Tool } from './tool.js';

interface PermittedTool {
  tool: Tool;
  /** With the workspaces whose setting permits the tool, without the others. */
  caller: Principal;
  others: readonly string[];
  /** Do several workspaces of the caller permit assistants? */
  hasSeveral: boolean;
}

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

  /** @param request accepted by the access guard. @throws what a tool throws, unless the model can correct it. */
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
      const sent = parseArguments(tool.input, input);
      requirePermitted(permitted, sent.workspaceId);
      return toResult(await tool.run(caller, sent as never), tool, sent.limit);
    } catch (error) {
      // The audit log records rejections.
      const final = await runFailureHooks(request.failureHooks ?? [], error);
      if (!isOfModel(final)) throw final;
      // Routes have the ID in their path; `NamedTables` names rows and tables.
      const isNote = final instanceof NotFoundError && !final.details;
      return toErrorResult(isNote ? new NotFoundError('The note', 'noteId', 'Call list_notes or search.') : final);
    }
  }

  /** The tools whose scope and role the caller has in a workspace that permits them, each with its caller. */
  private async permit({ identity }: Request, tools: readonly Tool[]): Promise<PermittedTool[]> {
    const { memberships, scopes: granted } = identity!;
    const found = await this.workspaces.listForAssistants(memberships.map((each) => each.workspaceId));
    const readable = found.filter(({ assistants }) => assistants !== 'off');
    return tools.flatMap((tool) => {
      const { scopes, role, isReadOnly } = tool;
      if (!scopes.some((scope) => grantsAny(granted, scope))) return [];
      // The services obey access policies.
      const caller = toPrincipal(identity!, { scopes, role, obeysPolicies: () => true });
      const permitting = readable.flatMap(({ id, assistants }) => (isReadOnly || assistants === 'propose' ? id : []));
      const workspaceIds = caller.workspaceIds.filter((id) => permitting.includes(id));
      if (workspaceIds.length === 0) return [];
      const others = caller.workspaceIds.filter((id) => !permitting.includes(id));
      return [{ tool, caller: { ...caller, workspaceIds }, others, hasSeveral: readable.length > 1 }];
    });
  }
}

/** Callers with one workspace are not asked for it. */
function describe({ tool: { described, isReadOnly }, caller, hasSeveral }: PermittedTool): DescribedTool {
  if (!hasSeveral) return described;
  const description = 'list_tables without it lists the workspaces.';
  const workspaceId = { type: 'string', enum: caller.workspaceIds, description };
  const { properties, required = [], ...schema } = described.inputSchema;
  const needed = isReadOnly ? required : ['workspaceId', ...required];
  return { ...described, inputSchema: { ...schema, properties: { workspaceId, ...properties }, required: needed } };
}

/** @throws {DomainError} if a change names none of several workspaces, or one whose setting forbids it. */
function requirePermitted({ tool, caller, others, hasSeveral }: PermittedTool, workspaceId?: string): void {
  if (workspaceId !== undefined && others.includes(workspaceId.toLowerCase()))
    throw new DomainError(ASSISTANT_ERRORS.assistant_not_permitted, undefined, { field: 'workspaceId' });
  if (workspaceId !== undefined || !hasSeveral || tool.isReadOnly) return;
  const message = `The caller has several workspaces. Send one of: ${caller.workspaceIds.join(', ')}.`;
  throw new InvalidRequestError([{ field: 'workspaceId', code: 'required', message }]);
}

/** Can the model correct the error, or send the request again? */
function isOfModel(error: unknown): error is DomainError {
  const isOperational = error instanceof StorageFullError;
  return error instanceof DomainError && !isOperational && !['unauthenticated', 'internal'].includes(error.kind);
}
