import { Connection, parseReply } from './connection.js';
import { CONNECTIONS, type Load, LOAD_HEADERS, loadColumns, sendInTurn } from './load.js';
import { measure } from './measure.js';
import type { Options } from './options.js';
import type { Stage } from './stage.js';
import { integer, markdownTable } from './table.js';

const PATH = '/v1/api/oauth2/token';
/** Maximum of sessions per user (MAX_SESSIONS_PER_USER); they are deleted before each run. */
const SESSIONS_PER_USER = 10;

/** Measures sign-ins and refreshes per second. At any time each connection works for another user. */
export async function benchTokens(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  note(`tokens: creating ${options.tokenUsers} users`);
  const clients = await stage.createClients(options.tokenUsers);
  const connections = Array.from({ length: CONNECTIONS }, () => new Connection(stage.service.baseUrl));
  const count = options.tokenUsers * SESSIONS_PER_USER;
  const signIns: Load[] = [];
  const refreshes: Load[] = [];

  const refreshTokens: string[] = [];
  const send = async (connection: number, grant: Record<string, string>) => {
    const reply = await connections[connection]!.post(PATH, Buffer.from(JSON.stringify(grant)));
    const { data } = parseReply(reply, 200) as { data: { refresh_token: string } };
    refreshTokens[connection] = data.refresh_token;
  };
  const signIn = (connection: number, request: number) => {
    const { clientId, clientSecret } = clients[request % clients.length]!;
    return send(connection, { grant_type: 'password', client_id: clientId, client_secret: clientSecret });
  };
  const refresh = (connection: number) =>
    send(connection, { grant_type: 'refresh_token', refresh_token: refreshTokens[connection]! });

  await measure(options.runs, async (index) => {
    note(`tokens: run ${index} of ${options.runs}`);
    await stage.endSessions(clients);
    const signedIn = await sendInTurn(stage.service, count, signIn);
    const refreshed = await sendInTurn(stage.service, count, refresh);
    if (index > 0) {
      signIns.push(signedIn);
      refreshes.push(refreshed);
    }
    return {};
  });
  for (const connection of connections) connection.close();
  return [
    '## Tokens',
    '',
    `${CONNECTIONS} connections, ${integer(count)} requests of each kind per run, ${integer(clients.length)} users.`,
    '',
    markdownTable(
      ['request', ...LOAD_HEADERS],
      [
        ['sign-in (password grant)', ...loadColumns(signIns)],
        ['refresh', ...loadColumns(refreshes)],
      ],
    ),
  ].join('\n');
}
