import { Injectable } from '@nestjs/common';
import type { Identity, Principal } from '../../platform/security/principal.js';
import { grantsAny } from '../../platform/security/scopes.js';
import { toPrincipal } from '../../platform/security/workspace-access.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import type { Tool } from './tool.js';

/** A tool that exists for a caller, and the caller as its REST operation would know it. */
export interface PermittedTool {
  tool: Tool;
  caller: Principal;
}

/** Which tools exist for a caller: those whose scope and role the caller has in a workspace that permits them. */
@Injectable()
export class ToolAccess {
  constructor(private readonly workspaces: WorkspacesService) {}

  async permit(identity: Identity, tools: readonly Tool[]): Promise<PermittedTool[]> {
    const found = await this.workspaces.listForAssistants(identity.memberships.map((each) => each.workspaceId));
    const settings = new Map(found.map(({ id, assistants }) => [id, assistants]));
    return tools.flatMap((tool) => {
      const { scopes, role, isReadOnly } = tool;
      if (!scopes.some((scope) => grantsAny(identity.scopes, scope))) return [];
      // The services obey access policies.
      const caller = toPrincipal(identity, { scopes, role, obeysPolicies: () => true });
      const workspaceIds = caller.workspaceIds.filter((id) => {
        const setting = settings.get(id);
        return setting === 'propose' || (setting === 'read' && isReadOnly);
      });
      return workspaceIds.length > 0 ? [{ tool, caller: { ...caller, workspaceIds } }] : [];
    });
  }
}
