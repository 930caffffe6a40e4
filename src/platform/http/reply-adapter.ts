import { createServer } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Response } from 'express';
import type { Config } from '../config/config.js';
import { endIfStalled } from './connections.js';
import { FinishedReply, finishReply } from './finished-reply.js';
import { FurtherPorts } from './further-ports.js';
import { endHandler } from './handler-hooks.js';
import { createMessageClasses } from './message-classes.js';

/** `createMessageClasses` is for Node 20 only, and goes with it. */
const isNode20 = process.versions.node.startsWith('20.');

/** The system takes a response of this size from the process, also if its reader is slow: 64 KiB. */
const BUFFERED_BYTES = 64 * 1024;

/** Responses without a body; Express removes the headers that describe one. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * Sends the results of handlers. Interceptors could do the same, but even one takes as much CPU time as a statement:
 * Nest runs them through observables (docs/explanation/performance.md#replies).
 */
export class ReplyAdapter extends ExpressAdapter {
  furtherPorts: FurtherPorts;

  constructor(private readonly config: Config) {
    // Clients resolve `items/..` to `items/../`, that is to the path of the table with a slash, before they send it
    // (ADR 0086). The router exists after super(), and ignores later changes of the setting.
    super(express().enable('strict routing'));
  }

  /** The server listens without TLS: options of Nest such as `httpsOptions` have no effect. */
  override initHttpServer(): void {
    const app: Express = this.getInstance();
    const messageClasses = isNode20 ? createMessageClasses(app) : {};
    // Node's answer to a request without Host has no body; requireHost() rejects it. Of repeated headers such as
    // Authorization, Node would use the first and drop the others: joined, they are rejected by what reads them.
    this.httpServer = createServer({ ...messageClasses, requireHostHeader: false, joinDuplicateHeaders: true }, app);
    this.furtherPorts = new FurtherPorts(this.httpServer);
  }

  override async close(): Promise<void> {
    await Promise.all([super.close(), this.furtherPorts.close()]);
  }

  /** @param status of Nest's own errors. */
  override reply(response: Response, result: unknown, status?: number): unknown {
    endHandler(response.req);
    const body = finishReply(result, response, this.config.http.publicUrl);
    if (!(body instanceof FinishedReply)) {
      endIfStalled(response);
      return super.reply(response, body, status) as unknown;
    }
    if (body.body === undefined || WITHOUT_BODY.has(response.statusCode)) return response.send();
    if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'application/json; charset=utf-8');
    // Node sends a short text together with the headers, but encodes a long one more slowly than Buffer.from().
    const content = body.body.length > BUFFERED_BYTES ? Buffer.from(body.body) : body.body;
    const bytes = Buffer.byteLength(content);
    if (bytes > BUFFERED_BYTES) endIfStalled(response);
    response.setHeader('Content-Length', bytes);
    return response.end(content);
  }
}
