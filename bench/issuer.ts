import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import jwt from 'jsonwebtoken';
import type { Stage } from './stage.js';

const [SUBJECT, KEY_ID, LIFETIME_S] = ['machine', 'key', 3600];

/** Starts an issuer in this process, and lets the service trust it. @returns a token that acts as the user */
export async function startIssuer(stage: Stage, userId: string): Promise<string> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'ES256' }];
  const server = createServer(({ url }, response) => {
    response.end(JSON.stringify(url === '/keys' ? { keys } : { issuer, jwks_uri: `${issuer}/keys` }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const operate = (...command: string[]) => stage.run('../src/operator/main.js', ...command);
  await operate('issuer', 'add', '--url', issuer, '--audience', issuer);
  await operate('client', 'create', '--user', userId, '--federated', `${issuer},${SUBJECT}`);
  const options = { issuer, audience: issuer, subject: SUBJECT, expiresIn: LIFETIME_S, keyid: KEY_ID };
  const header = { alg: 'ES256', typ: 'at+jwt' };
  return jwt.sign({ scope: 'api' }, privateKey, { ...options, algorithm: 'ES256', header });
}
