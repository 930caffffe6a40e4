import type { Request, Response } from 'express';

/** How long a sender may go on after the answer. Most have read it long before. */
const LINGER_MS = 5_000;

/**
 * Lets the answer be the last on its connection, and reach a sender who is still sending. A connection that closes while
 * bytes wait to be read is reset, and the answer is lost with it: so this side ends, goes on reading for a moment, and
 * closes then.
 */
export function closeLingering({ socket }: Request, response: Response): void {
  response.setHeader('Connection', 'close');
  // Called by Node once the last answer is out.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
  };
}
