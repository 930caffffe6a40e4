import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, Option } from 'commander';
import type { ClaimMapping, IssuerSignIn, Preset } from '../../modules/identity/issuers.service.js';
import { InvalidRequestError, NotFoundError } from '../../../packages/errors/src/domain-error.js';
import { parseStoredJson } from '../../../packages/sql/src/stored-json.js';
import * as argument from '../arguments.js';
import { getWorkspaceId } from '../names.js';
import type { OperatorCommand } from '../operator-command.js';
import { formatRecord } from '../output.js';
import type { Services } from '../operator-application.js';

interface AddOptions {
  url: string;
  audience: string;
  domain?: string[];
  preset?: Preset;
  claims?: string;
  signInClientId?: string;
  signInName?: string;
  signInScope?: string[];
}

export function addIssuerCommands(program: OperatorCommand): void {
  const issuer = program
    .command('issuer')
    .description('identity providers, such as Entra ID and Keycloak, whose access tokens are accepted')
    .examples('issuer list');

  issuer
    .command('add')
    .description('accept the access tokens of an issuer, on all instances within a second')
    .requiredOption('--url <url>', 'the claim iss of its tokens, exactly')
    .requiredOption('--audience <audience>', 'what the claim aud of its tokens must contain', argument.name)
    .option(
      '--domain <domain...>',
      'domains of the email addresses by which it may identify users; without any, only machines can use it',
      argument.domains,
    )
    .addOption(new Option('--preset <preset>', 'where its tokens have which claim').choices(['entra', 'keycloak']))
    .option('--claims <file>', 'JSON file: where its tokens have which claim, and what groups permit')
    .option(
      '--sign-in-client-id <id>',
      'a client of the issuer without a secret: people sign in with it on the pages and by atrium login',
      argument.name,
    )
    .option('--sign-in-name <name>', 'what the button is called; by default the host of the URL', argument.name)
    .option(
      '--sign-in-scope <scope...>',
      'what this client requests in addition to openid; by default api',
      argument.issuerScopes,
    )
    .examples(
      'issuer add --url https://sso.example.com/realms/works --audience https://atrium.example.com --domain example.com --preset keycloak',
    )
    .run(async (services, options: AddOptions) => {
      const { url, audience, domain: domains = [], preset, claims: file } = options;
      const claims = await readClaims(services, preset, file);
      const added = await services.issuers.add({ url, audience, domains, claims, signIn: readSignIn(options) });
      const failure = await services.issuers.check(added);
      return formatRecord(
        { ...added, keys: failure ?? 'read' },
        { url: 'Issuer', audience: 'Audience', domains: 'Domains', keys: 'Keys' },
        failure === undefined
          ? 'Its tokens are accepted now.'
          : 'Its keys could not be read. Each token is rejected until the service can read them.',
      );
    });

  issuer
    .command('remove')
    .description('reject the tokens of an issuer from now on; forget which users its subjects are')
    .argument('<url>')
    .examples('issuer remove https://sso.example.com/realms/works')
    .run(async ({ issuers }, url: string) => {
      await issuers.remove(url);
      return formatRecord(
        { url, status: 'removed' },
        { url: 'Issuer', status: 'Status' },
        'Users and their other credentials are unchanged. Clients of machines of this issuer remain, without use.',
      );
    });

  issuer.addList('trusted issuers', ({ issuers }) => issuers.list(), {
    fields: ['id', 'url', 'audience', 'domains', 'claims', 'signIn', 'createdAt'],
    columns: {
      Issuer: ({ url }) => url,
      Audience: ({ audience }) => audience,
      Domains: ({ domains }) => domains,
      'Sign-in': ({ signIn }) => signIn?.name,
      Added: ({ createdAt }) => createdAt,
    },
  });
}

/** @throws {InvalidRequestError} if there is a name or a scope without a client */
function readSignIn(options: AddOptions): IssuerSignIn | null {
  const { url, signInClientId: clientId, signInName, signInScope } = options;
  if (clientId !== undefined) {
    const name = signInName ?? (URL.canParse(url) ? new URL(url).host : url);
    return { name, clientId, scopes: [...new Set(['openid', ...(signInScope ?? ['api'])])] };
  }
  if (signInName === undefined && signInScope === undefined) return null;
  const message = 'Name the client with which people sign in by --sign-in-client-id.';
  throw new InvalidRequestError([{ field: 'signInClientId', code: 'invalid_field', message }], message);
}

/** @throws {Error} with the name of the file */
async function readClaims(services: Services, preset?: Preset, file?: string): Promise<ClaimMapping> {
  if (file === undefined) return services.issuers.parseClaims(preset);
  const text = await readFile(file, 'utf8');
  try {
    return await resolveNames(services, services.issuers.parseClaims(preset, parseStoredJson(text)));
  } catch (error) {
    const isOfFile = error instanceof SyntaxError || error instanceof InvalidRequestError;
    throw isOfFile ? new Error(`${file}: ${error.message}`) : error;
  }
}

/** @throws {InvalidRequestError} */
async function resolveNames(services: Services, claims: ClaimMapping): Promise<ClaimMapping> {
  const memberships: ClaimMapping['memberships'] = [];
  for (const [at, each] of claims.memberships.entries())
    try {
      memberships.push({ ...each, workspace: await getWorkspaceId(services, argument.workspace(each.workspace)) });
    } catch (error) {
      if (!(error instanceof NotFoundError || error instanceof InvalidArgumentError)) throw error;
      const field = `memberships.${at}.workspace`;
      const message = `${field}: ${error.message}`;
      throw new InvalidRequestError([{ field, code: 'invalid_field', message }], message);
    }
  return { ...claims, memberships };
}
