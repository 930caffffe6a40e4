import { Command } from 'commander';

/** A group of commands. Its file is loaded only if the group is called. */
interface Group {
  description: string;
  load: () => Promise<(program: Command, description: string) => void>;
}

const GROUPS: Record<string, Group> = {
  workspace: {
    description: 'workspaces, each with its own tables, projects and notes',
    load: async () => (await import('./commands/workspace.js')).addWorkspaceCommands,
  },
  user: {
    description: 'people and service accounts',
    load: async () => (await import('./commands/user.js')).addUserCommands,
  },
  client: {
    description: 'client credentials, which sign a user in',
    load: async () => (await import('./commands/client.js')).addClientCommands,
  },
  'api-key': {
    description: 'static keys, each for one user and one workspace',
    load: async () => (await import('./commands/api-key.js')).addApiKeyCommands,
  },
  session: {
    description: 'sessions of users',
    load: async () => (await import('./commands/session.js')).addSessionCommands,
  },
  attachments: {
    description: 'files of notes and messages',
    load: async () => (await import('./commands/attachments.js')).addAttachmentCommands,
  },
  tables: {
    description: 'workspace tables',
    load: async () => (await import('./commands/table.js')).addTableCommands,
  },
  subscription: {
    description: 'receivers of events',
    load: async () => (await import('./commands/subscription.js')).addSubscriptionCommands,
  },
  audit: {
    description: 'list entries of the audit log, newest first: sign-ins, rejections, calls of the legacy webhook',
    load: async () => (await import('./commands/audit.js')).addAuditCommand,
  },
  key: {
    description: 'keys that sign access tokens and refresh tokens',
    load: async () => (await import('./commands/key.js')).addKeyCommands,
  },
  cluster: {
    description: 'the nodes of a cluster (Citus), and where workspaces are',
    load: async () => (await import('./commands/cluster.js')).addClusterCommands,
  },
  'rate-limit': {
    description: 'rate limits that all instances share',
    load: async () => (await import('./commands/rate-limit.js')).addRateLimitCommands,
  },
};

/**
 * The operator CLI with the commands of the groups that the arguments name. Arguments are validated before the modules of the
 * service are loaded.
 */
export async function createProgram(args: readonly string[]): Promise<Command> {
  const program = new Command('operator')
    .description('Manages workspaces, users and credentials of Atrium. A running service is not required.')
    .option('--json', 'print JSON with all fields for scripts, instead of tables')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', '\nExample:\n  npm run -s operator -- user list --json')
    .exitOverride();
  for (const [name, { description, load }] of Object.entries(GROUPS)) {
    if (args.includes(name)) (await load())(program, description);
    else program.command(name).description(description);
  }
  return program;
}
