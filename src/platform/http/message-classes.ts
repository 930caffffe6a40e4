import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/**
 * Classes for `http.createServer` whose instances have the prototypes that Express sets on each request and response.
 * Express then replaces none. Before Node 24, an object whose prototype was replaced gets a new hidden class with each
 * property that is set later, so no access to it is cached: a third of the CPU time of a small request
 * (docs/explanation/performance.md#prototypes-of-requests).
 */
export function createMessageClasses(app: Express) {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response };
}
