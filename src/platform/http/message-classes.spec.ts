import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express, Request, Response } from 'express';
import type { Config } from '../config/config.js';
import { ReplyAdapter } from './reply-adapter.js';

const describeOnNode20 = process.versions.node.startsWith('20.') ? describe : describe.skip;

describeOnNode20('The classes of requests and responses', () => {
  let app: Express;
  let server: Server;

  beforeEach(async () => {
    const adapter = new ReplyAdapter({ http: {} } as Config);
    adapter.initHttpServer();
    app = adapter.getInstance();
    server = adapter.getHttpServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const get = (path: string) => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);

  it('have the prototypes that Express sets, so that it replaces none', async () => {
    const prototypesOf = (...messages: [IncomingMessage, ServerResponse]) =>
      messages.map((message) => Object.getPrototypeOf(message) as unknown);
    let received: unknown[] = [];
    let handled: unknown[] = [];
    server.prependListener('request', (...messages) => (received = prototypesOf(...messages)));
    app.get('/', (request: Request, response: Response) => {
      handled = prototypesOf(request, response);
      response.send('done');
    });
    expect(await (await get('/')).text()).toBe('done');
    expect(received).toHaveLength(2);
    expect(handled[0]).toBe(received[0]);
    expect(handled[1]).toBe(received[1]);
  });

  it('have the methods and properties of Express', async () => {
    app.get('/:name', (request: Request, response: Response) => {
      const { path, query, params, protocol } = request;
      response
        .status(202)
        .json({ path, query, params, protocol, accepts: request.accepts('json'), app: request.app === app });
    });
    const response = await get('/pump?level=2');
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({
      path: '/pump',
      query: { level: '2' },
      params: { name: 'pump' },
      protocol: 'http',
      accepts: 'json',
      app: true,
    });
  });
});
