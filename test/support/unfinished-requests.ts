import { connect } from 'node:net';

/** Sends an incomplete request; resolves to the response and the milliseconds until the connection is closed. */
export function sendUnfinished(baseUrl: string, ...unfinished: string[]): Promise<{ answer: string; ms: number }> {
  const startedAt = Date.now();
  return new Promise((settle) => {
    let answer = '';
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1', () => {
      socket.write(unfinished.join('\r\n'));
    });
    socket
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => (answer += chunk.toString()))
      .once('close', () => settle({ answer, ms: Date.now() - startedAt }));
  });
}
