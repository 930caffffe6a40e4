import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as settle } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type Emitter, ignoreErrors, listen, listenOnce, settleByEvents } from './listeners.js';

const boom = new Error('boom');
const fail = (): void => {
  throw boom;
};

describe('listen', () => {
  it.each<[string, () => Emitter, (emitter: Emitter) => void]>([
    ['an emitter', () => new EventEmitter(), (emitter) => void (emitter as EventEmitter).emit('x')],
    ['a target', () => new EventTarget(), (target) => void (target as EventTarget).dispatchEvent(new Event('x'))],
  ])('passes exceptions of the callback of %s to the work, and ends', (_, create, emit) => {
    const emitter = create();
    const failed = jest.fn();
    const end = listen(emitter, 'x', fail, failed);
    emit(emitter);
    emit(emitter);
    expect(failed.mock.calls).toEqual([[boom], [boom]]);
    end();
    end();
    emit(emitter);
    expect(failed).toHaveBeenCalledTimes(2);
  });

  it('logs an exception without work, and destroys the stream', async () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    const stream = new PassThrough();
    const error = once(stream, 'error');
    listen(stream, 'data', fail);
    stream.write('x');
    expect(await error).toEqual([boom]);
    expect(log).toHaveBeenCalledWith(boom);
    log.mockRestore();
  });

  it('calls back once, also if the callback emits the event', () => {
    const emitter = new EventEmitter();
    const callback = jest.fn(() => void emitter.emit('x', 1));
    listenOnce(emitter, 'x', callback);
    emitter.emit('x', 2);
    expect(callback.mock.calls).toEqual([[2]]);
  });

  it('ignores the errors of an emitter', () => {
    const emitter = new EventEmitter();
    ignoreErrors(emitter);
    expect(emitter.emit('error', boom)).toBe(true);
  });
});

describe('settleByEvents', () => {
  it.each(['resolve', 'reject', 'callback'])('settles once, and ignores what follows: %s', async (by) => {
    const emitter = new EventEmitter();
    const callback = jest.fn();
    const work = settleByEvents<string>((on, resolve, reject) => {
      on(emitter, 'resolve', () => resolve('done'));
      on(emitter, 'reject', () => reject(boom));
      on(emitter, 'callback', fail);
      on(emitter, 'error', callback);
    });
    emitter.emit(by);
    for (const event of ['resolve', 'reject', 'callback', 'error', 'error']) emitter.emit(event, new Error('late'));
    if (by === 'resolve') await expect(work).resolves.toBe('done');
    else await expect(work).rejects.toBe(boom);
    expect(callback).not.toHaveBeenCalled();
    expect(emitter.listenerCount('resolve')).toBe(0);
    expect(emitter.emit('error', new Error('later'))).toBe(true);
  });

  describe('with emitters of Node that fail', () => {
    let uncaught: jest.Mock;
    let server: Server;
    let answer: (request: IncomingMessage, response: ServerResponse) => void;

    beforeAll(async () => {
      server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
      await once(server, 'listening');
    });

    afterAll(() => void server.close());

    beforeEach(() => {
      uncaught = jest.fn();
      process.on('uncaughtExceptionMonitor', uncaught);
    });

    afterEach(() => {
      process.off('uncaughtExceptionMonitor', uncaught);
      expect(uncaught).not.toHaveBeenCalled();
    });

    const request = () => {
      const { port } = server.address() as AddressInfo;
      return settleByEvents<number>((on, resolve, reject) => {
        const sent = get({ port, host: '127.0.0.1', agent: false });
        on(sent, 'error', reject);
        on(sent, 'response', (response: IncomingMessage) => {
          on(response, 'error', reject);
          on(response, 'end', () => resolve(response.statusCode!));
          response.resume();
        });
      });
    };
    const reset = ({ req: { socket } }: ServerResponse) => void socket.resetAndDestroy();

    it('a request before, in and after its response', async () => {
      answer = (_, response) => reset(response);
      await expect(request()).rejects.toMatchObject({ code: 'ECONNRESET' });
      answer = (_, response) => {
        response.writeHead(200, { 'Content-Length': 10 });
        response.write('x', () => reset(response));
      };
      await expect(request()).rejects.toMatchObject({ code: 'ECONNRESET' });
      answer = (_, response) => void response.end('x', () => setImmediate(() => reset(response)));
      await expect(request()).resolves.toBe(200);
      await settle();
    });

    it('a socket, twice', async () => {
      const target = createTcpServer((socket) => void socket.resetAndDestroy()).listen(0, '127.0.0.1');
      await once(target, 'listening');
      const { port } = target.address() as AddressInfo;
      const socket = connect(port, '127.0.0.1');
      const work = settleByEvents<undefined>((on, resolve, reject) => {
        on(socket, 'error', reject);
        on(socket, 'close', () => resolve(undefined));
        socket.write('x');
      });
      await expect(work.catch((error: unknown) => (error as NodeJS.ErrnoException).code)).resolves.toMatch(
        /^(ECONNRESET|EPIPE)$/,
      );
      socket.emit('error', new Error('again'));
      target.close();
    });

    it('a process that does not exist', async () => {
      const work = settleByEvents<undefined>((on, resolve, reject) => {
        const child = spawn('/nonexistent/program');
        on(child, 'error', reject);
        on(child, 'exit', () => resolve(undefined));
      });
      await expect(work).rejects.toMatchObject({ code: 'ENOENT' });
    });

    it('a signal whose callback throws', async () => {
      const ended = new AbortController();
      const work = settleByEvents<undefined>((on) => on(ended.signal, 'abort', fail));
      ended.abort();
      await expect(work).rejects.toBe(boom);
    });
  });
});
