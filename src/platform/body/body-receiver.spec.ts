import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Request } from 'express';
import { pipeRequest } from './body-receiver.js';

/**
 * Sends a part of a body and disconnects.
 *
 * @param readMs after which the service reads the body.
 * @returns what the reader receives.
 */
async function readCut({ pipeMs, readMs }: { pipeMs: number; readMs: number }): Promise<string | number> {
  const server = createServer();
  const reading = new Promise<string | number>((resolve) => {
    server.on('request', (request: IncomingMessage) => {
      const read = async () => {
        await delay(pipeMs);
        const stream = pipeRequest(request as Request);
        await delay(readMs);
        return (await stream.toArray()).length;
      };
      void read().then(resolve, (error: unknown) => resolve((error as Error).constructor.name));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc');
  await delay(50);
  socket.destroy();
  const result = await reading;
  await new Promise((done) => server.close(done));
  return result;
}

describe('a body whose sender disconnects', () => {
  it.each([
    ['before it is piped', { pipeMs: 150, readMs: 0 }],
    ['before it is read', { pipeMs: 0, readMs: 150 }],
    ['while it is read', { pipeMs: 0, readMs: 0 }],
  ])('rejects its reader, and no error is without a listener: %s', async (_, times) => {
    const uncaught = jest.fn();
    process.on('uncaughtExceptionMonitor', uncaught);
    await expect(readCut(times)).resolves.toBe('IncompleteBodyError');
    process.off('uncaughtExceptionMonitor', uncaught);
    expect(uncaught).not.toHaveBeenCalled();
  });
});
