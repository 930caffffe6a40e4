import { Command } from 'commander';
import { addApiKeyCommands } from './commands/api-key.js';
import { addAttachmentCommands } from './commands/attachments.js';
import { addAuditCommand } from './commands/audit.js';
import { addClientCommands } from './commands/client.js';
import { addKeyCommands } from './commands/key.js';
import { addRateLimitCommands } from './commands/rate-limit.js';
import { addSessionCommands } from './commands/session.js';
import { addTableCommands } from './commands/table.js';
import { addUserCommands } from './commands/user.js';
import { addWorkspaceCommands } from './commands/workspace.js';

/** The operator CLI. Arguments are validated before the modules are loaded. */
export function createProgram(): Command {
  const program = new Command('operator')
    .description('Manages workspaces, users and credentials of Atrium. A running service is not required.')
    .option('--json', 'print JSON for scripts instead of tables')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
  addWorkspaceCommands(program);
  addUserCommands(program);
  addClientCommands(program);
  addApiKeyCommands(program);
  addSessionCommands(program);
  addAttachmentCommands(program);
  addTableCommands(program);
  addAuditCommand(program);
  addKeyCommands(program);
  addRateLimitCommands(program);
  return program;
}
