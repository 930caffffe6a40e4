import { Command } from 'commander';
import { addExamples } from './output.js';

/** A group of commands. Its file is loaded only if the group is called. */
interface Group {
  description: string;
  /** For the help of the group; absent if the group is a command, which has its own examples. */
  example?: string;
  load: () => Promise<(program: Command, description: string) => void>;
}

const GROUPS: Record<string, Group> = {
  workspace: {
    description: 'workspaces, each with its own tables, projects and notes',
    example: "workspace create --name 'Vienna works'",
    load: async () => (await import('./commands/workspace.js')).addWorkspaceCommands,
  },
  user: {
    description: 'people and service accounts',
    example: 'user create --email integration@example.com --workspace vienna-works',
    load: async () => (await import('./commands/user.js')).addUserCommands,
  },
  client: {
    description: 'client credentials, which sign a user in',
    example: 'client create --user integration@example.com --scope api',
    load: async () => (await import('./commands/client.js')).addClientCommands,
  },
  'api-key': {
    description: 'static keys, each for one user and one workspace',
    example: 'api-key create --user integration@example.com --workspace vienna-works',
    load: async () => (await import('./commands/api-key.js')).addApiKeyCommands,
  },
  session: {
    description: 'sessions of users',
    example: 'session reset --user integration@example.com',
    load: async () => (await import('./commands/session.js')).addSessionCommands,
  },
  attachments: {
    description: 'files of notes and messages',
    example: 'attachments verify',
    load: async () => (await import('./commands/attachments.js')).addAttachmentCommands,
  },
  backup: {
    description: 'files of a backup, and the last step of a restore',
    example: 'backup files /backup/files',
    load: async () => (await import('./commands/backup.js')).addBackupCommands,
  },
  subscription: {
    description: 'receivers of events',
    example: 'subscription list --workspace vienna-works',
    load: async () => (await import('./commands/subscription.js')).addSubscriptionCommands,
  },
  audit: {
    description: 'list entries of the audit log, newest first: sign-ins, rejections, calls of the legacy webhook',
    load: async () => (await import('./commands/audit.js')).addAuditCommand,
  },
  key: {
    description: 'keys that sign access tokens and refresh tokens',
    example: 'key rotate',
    load: async () => (await import('./commands/key.js')).addKeyCommands,
  },
  cluster: {
    description: 'the nodes of a cluster (Citus), and where workspaces are',
    example: 'cluster status',
    load: async () => (await import('./commands/cluster.js')).addClusterCommands,
  },
  'rate-limit': {
    description: 'rate limits that all instances share',
    example: 'rate-limit reset --address 203.0.113.7',
    load: async () => (await import('./commands/rate-limit.js')).addRateLimitCommands,
  },
};

/**
 * The operator CLI with the commands of the groups that the arguments name. Arguments are validated before the modules
 * of the service are loaded.
 */
export async function createProgram(args: readonly string[]): Promise<Command> {
  const program = new Command('operator')
    .description('Manages workspaces, users and credentials of Atrium. A running service is not required.')
    .option('--json', 'print JSON with all fields for scripts, instead of tables')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
  addExamples(program, 'user list --json');
  for (const [name, { description, example, load }] of Object.entries(GROUPS)) {
    if (args.includes(name)) (await load())(program, description);
    else program.command(name).description(description);
    if (example) addExamples(program.commands.at(-1)!, example);
  }
  return program;
}
