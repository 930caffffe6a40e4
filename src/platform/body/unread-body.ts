import type { NextFunction, Request, Response } from 'express';

/** How long a sender may go on after the answer. Most have read it long before. */
const LINGER_MS = 5_000;

/**
 * Lets the answer be the last on its connection, and reach a sender who is still sending. A connection that closes while
 * bytes wait to be read is reset, and the answer is lost with it: so this side ends, goes on reading for a moment, and
 * closes then.
 */
export function closeAfterUnreadBody({ socket }: Request, response: Response): void {
  response.setHeader('Connection', 'close');
  // Called by Node once the last answer is out.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
  };
}

/** How long a sender may go on with a body that nobody reads, after its answer. */
const UNREAD_MS = 60_000;

/** Cuts off those who are answered, and go on sending: nobody else looks how long their bodies take. */
export function limitUnreadBodies(request: Request, response: Response, next: NextFunction): void {
  response.once('finish', () => {
    if (request.complete) return;
    const timer = setTimeout(() => request.socket.destroy(), UNREAD_MS);
    for (const over of ['end', 'close']) request.once(over, () => clearTimeout(timer));
  });
  next();
}
