/**
 * An OpenID Connect issuer (oidc-provider) as a process: the package is an ES module only. `issuer.ts` starts it and
 * sends it commands.
 */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

/** @param audience the resource of tokens for which a client names none. */
const [url, audience] = process.argv.slice(2);
const { port } = new URL(url);

/** The command line, Swagger UI and the table browser. */
const RETURNS = ['callback', 'docs', 'tables'].map((path) => `http://127.0.0.1/${path}`);

/** The claims of the access tokens of each person, by login. */
let people = {};
/** Seconds. */
let lifetime = 600;
/** Requests by path. */
let requests = [];
let handle;
let privateKey;
let server;

function rotate() {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  privateKey = { ...pair.privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'RS256', use: 'sig' };
  const provider = new Provider(url, {
    jwks: { keys: [privateKey] },
    cookies: { keys: [randomUUID()] },
    clients: [
      {
        client_id: 'machine',
        client_secret: 'machine-secret',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
      {
        client_id: 'page',
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
        // With any port.
        redirect_uris: RETURNS,
        post_logout_redirect_uris: RETURNS,
        response_types: ['code'],
      },
    ],
    features: {
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_, client, oneOf) => oneOf ?? (client.clientId === 'page' ? audience : undefined),
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({
          scope: 'api read:tours',
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 600,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    clientBasedCORS: () => true,
    issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
    ttl: { Session: 600, Interaction: 600, Grant: 600, AccessToken: () => lifetime, ClientCredentials: 600 },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    extraTokenClaims: (_, token) => people[token.accountId],
  });
  handle = provider.callback();
}

function listen() {
  server = createServer((request, response) => {
    requests.push(request.url);
    handle(request, response);
  });
  return new Promise((done) => server.listen(Number(port), '127.0.0.1', done));
}

const commands = {
  rotate: () => rotate(),
  people: (claims) => (people = claims),
  lifetime: (seconds) => (lifetime = seconds),
  key: () => privateKey,
  requests: () => requests,
  fail: () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(() => done()));
  },
  recover: () => listen(),
};

rotate();
await listen();
process.on('message', async ({ id, command, argument }) => {
  process.send({ id, result: (await commands[command](argument)) ?? null });
});
process.once('disconnect', () => process.exit());
process.send({ id: 'ready' });
