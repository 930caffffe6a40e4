import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../support/api.js';
import { TestDatabase, TestService } from '../support/service.js';
import { signIn, type TokenPair } from '../support/tokens.js';
import { sendUnfinished } from '../support/unfinished-requests.js';

const PROJECTS = '/v1/api/projects';

describe('a request that is not received in time', () => {
  let database: TestDatabase;
  let service: TestService;
  let pair: TokenPair;
  let api: Api;
  /** Sends incomplete headers; resolves to the response and the milliseconds until the connection closes. */
  let slowSender: Promise<{ answer: string; ms: number }>;
  /** Completes the request after the response 408. */
  let lateSender: Promise<string>;
  /** Bodies sent at one byte per second: to the token endpoint, with a token, and one that stops after one byte. */
  let slowBodies: Promise<{ answer: string; ms: number }[]>;

  beforeAll(async () => {
    database = await TestDatabase.create();
    // The log contains everything that the service can log.
    service = await TestService.start(database, { LOG_LEVEL: 'trace' });
    const anonymous = new Api(service.baseUrl);
    pair = await signIn(anonymous, await service.provision());
    api = anonymous.withToken(pair.access_token);
    lateSender = completeLate();
    slowSender = sendUnfinished(service.baseUrl, `POST ${PROJECTS} HTTP/1.1`, 'X-Slow: yes');
    const known = [`POST ${PROJECTS} HTTP/1.1`, `Authorization: Bearer ${pair.access_token}`];
    slowBodies = Promise.all([
      trickle('{"grant_type": "password"}', 100, 'POST /v1/api/oauth2/token HTTP/1.1'),
      trickle('{"name":"Slow"}', 15, ...known),
      trickle('{', 15, ...known),
    ]);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  it('returns 408 if the headers are not received within 15 seconds', async () => {
    const { answer, ms } = await slowSender;
    expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*\nConnection: close\r[^]*"error":"request_timeout"/);
    expect(ms).toBeGreaterThan(5_000);
    expect(ms).toBeLessThan(15_000);
  });

  it('does not execute a request that is completed after 408', async () => {
    expect(await lateSender).toMatch(/^HTTP\/1\.1 408 /);
    const { body } = await api.get(PROJECTS);
    expect(JSON.stringify(body.data)).not.toContain('Late');
    expect(service.output.join('')).not.toContain('late-request');
  });

  it('returns 408 for a body with client credentials after 10 seconds, and for others only if too little arrives', async () => {
    const [credentials, moving, stalled] = await slowBodies;
    for (const { answer } of [credentials!, stalled!]) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*\nConnection: close\r[^]*"error":"request_timeout"/i);
    }
    expect(credentials!.answer).toContain('The body was not received within 10 seconds.');
    expect(credentials!.ms).toBeGreaterThan(9_000);
    expect(credentials!.ms).toBeLessThan(20_000);
    expect(moving!.answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(stalled!.answer).toContain('The body was received too slowly: 1 bytes within 30 seconds.');
    expect(stalled!.ms).toBeGreaterThan(29_000);
    expect(stalled!.ms).toBeLessThan(45_000);
  });

  /** Sends a body at one byte per second; resolves to the response and the milliseconds until the connection closes. */
  function trickle(body: string, length: number, ...head: string[]): Promise<{ answer: string; ms: number }> {
    const startedAt = Date.now();
    return new Promise((settle) => {
      let answer = '';
      let sent = 0;
      const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1', () => {
        const headers = ['Host: atrium.test', 'Content-Type: application/json', `Content-Length: ${length}`];
        socket.write([...head, ...headers, '', ''].join('\r\n'));
      });
      const next = setInterval(() => {
        if (sent < body.length) socket.write(body[sent++]!);
        else if (answer) socket.end();
      }, 1_000);
      socket.on('error', () => undefined).on('data', (chunk: Buffer) => (answer += chunk.toString()));
      socket.once('close', () => {
        clearInterval(next);
        settle({ answer, ms: Date.now() - startedAt });
      });
    });
  }

  /** Sends a part of the headers, and the rest and the body once there is a response; resolves to what is received. */
  async function completeLate(): Promise<string> {
    const body = JSON.stringify({ name: 'Late' });
    const rest = [
      `Authorization: Bearer ${pair.access_token}`,
      'X-Request-Id: late-request',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      '',
      body,
    ];
    const { port } = new URL(service.baseUrl);
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.write(`POST ${PROJECTS} HTTP/1.1\r\nHost: atrium.test\r\n`);
    await once(socket, 'data');
    socket.end(rest.join('\r\n'));
    await sleep(2_000);
    socket.destroy();
    return answer;
  }
});
