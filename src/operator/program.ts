import { addApiKeyCommands } from './commands/api-key.js';
import { addAttachmentCommands } from './commands/attachments.js';
import { addAuditCommand } from './commands/audit.js';
import { addBackupCommands } from './commands/backup.js';
import { addClientCommands } from './commands/client.js';
import { addClusterCommands } from './commands/cluster.js';
import { addIssuerCommands } from './commands/issuer.js';
import { addKeyCommands } from './commands/key.js';
import { addRateLimitCommands } from './commands/rate-limit.js';
import { addSessionCommands } from './commands/session.js';
import { addSubscriptionCommands } from './commands/subscription.js';
import { addUserCommands } from './commands/user.js';
import { addWorkspaceCommands } from './commands/workspace.js';
import { OperatorCommand } from './operator-command.js';

/** The groups in the order of the help. */
const GROUPS = [
  addWorkspaceCommands,
  addUserCommands,
  addClientCommands,
  addApiKeyCommands,
  addIssuerCommands,
  addSessionCommands,
  addAttachmentCommands,
  addBackupCommands,
  addSubscriptionCommands,
  addAuditCommand,
  addKeyCommands,
  addClusterCommands,
  addRateLimitCommands,
];

/** The operator CLI. Arguments are validated before the modules of the service are loaded. */
export function createProgram(): OperatorCommand {
  const program = new OperatorCommand('operator')
    .description('Manages workspaces, users and credentials of Atrium. A running service is not required.')
    .option('--json', 'print JSON with all fields for scripts, instead of tables')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .examples('user list --json');
  for (const addGroup of GROUPS) addGroup(program);
  return program;
}
