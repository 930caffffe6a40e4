import { describeCredentials, profileName } from '../profiles.js';
import type { Program, Runner } from '../runner.js';

export function addSessionCommands(program: Program, { locally, inSession }: Runner): void {
  program
    .command('login')
    .description('verify credentials and store them in a profile; on a terminal, ask for what is missing')
    .option('--url <url>', 'address of the service')
    .option('--client-id <id>', 'OAuth client of a member')
    .option('--client-secret <secret>', 'its secret; other processes see it')
    .option('--client-secret-stdin', 'read the client secret from standard input')
    .option('--api-key <key>', 'instead of client credentials')
    .option('--api-key-stdin', 'read the API key from standard input')
    .option('--issuer [issuer]', 'sign in as a person at an identity provider of the service, by its URL or name')
    .option('--device', 'as --issuer, with the browser of another device')
    .option('--demo', 'use the demo workspace of a service on this machine')
    .option('--workspace <id>', 'ID or name of the workspace')
    .action(locally(async (context, flags) => (await import('../login.js')).login(context, flags)));
  program
    .command('logout')
    .description('end the session of the profile')
    .action(
      inSession(async ({ client, output, settings }) => {
        await client.signOut();
        const next = settings.issuer ? '`atrium login --issuer` signs in again' : 'the next command signs in again';
        output.remark(`Signed out. The profile remains; ${next}.`);
      }),
    );
  program
    .command('whoami')
    .description('show the caller, the service and the workspace')
    .action(
      inSession(async ({ client, settings, flags, io, output }) => {
        const { url = '', workspace: id } = settings;
        const workspace = id ? await client.get('/v1/api/workspaces/{id}', { params: { path: { id } } }) : undefined;
        const profile = profileName(flags.profile, io);
        const credentials = describeCredentials(settings)!;
        const found = { profile, url, credentials, workspace: workspace && { id: workspace.id, name: workspace.name } };
        const named = workspace ? `"${workspace.name}" (${workspace.id})` : 'not set';
        output.result(found, () => `${credentials} at ${url}, workspace ${named}, profile ${profile}\n`);
      }),
    );
  program
    .command('auth')
    .description('credentials for other programs')
    .command('token')
    .description('print an access token, or the API key of the profile')
    .action(
      inSession(async ({ client, output }) => {
        const [header = '', value = ''] = Object.entries(await client.credentials())[0] ?? [];
        output.result({ header, value }, () => `${value.replace(/^Bearer /, '')}\n`);
      }),
    );
  program
    .command('doctor')
    .description('check the profile, the service, the credentials and the workspace')
    .action(locally(async (context) => (await import('../doctor.js')).doctor(context)));
}
