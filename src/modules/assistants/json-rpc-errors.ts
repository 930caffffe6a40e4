import type { RequestHandler } from 'express';
import type { Config } from '../../platform/config/config.js';
import type { SendFailure } from '../../platform/http/error.filter.js';
import { originNotAllowedError } from './assistants.errors.js';

const MCP_PATH = '/mcp';

/** Codes of JSON-RPC 2.0, section 5.1, by the code of the error; and that of all others. */
const CODES = new Map(Object.entries({ malformed_json: -32_700, invalid_request: -32_600 }));
const SERVER_ERROR = -32_000;

/**
 * Middleware: errors of `/mcp` have the form of JSON-RPC. Web pages of other origins are rejected before their
 * credentials are read: a name can be bound to the address of a service in a private network.
 */
export function prepareMcpRequest({ publicUrl, corsOrigins }: Config['http']): RequestHandler {
  const allowed = new Set([new URL(publicUrl).origin, ...corsOrigins]);
  const { origin: host, pathname } = new URL(publicUrl + MCP_PATH);
  // RFC 9728, section 5.1.
  const metadata = `resource_metadata="${host}/.well-known/oauth-protected-resource${pathname}"`;
  const sendFailure: SendFailure = ({ status, error, message, details }, request, response) => {
    const challenge = response.get('WWW-Authenticate');
    if (challenge !== undefined)
      response.set('WWW-Authenticate', `${challenge}${challenge.includes(' ') ? ',' : ''} ${metadata}`);
    const { id = null } = (request.body ?? {}) as { id?: unknown };
    const data = { status, error, details, requestId: request.requestId };
    const body = { jsonrpc: '2.0', id, error: { code: CODES.get(error) ?? SERVER_ERROR, message, data } };
    response.status(status).type('application/json').send(JSON.stringify(body));
  };
  return (request, _response, next) => {
    const isMcp = request.path.toLowerCase() === MCP_PATH;
    if (isMcp) request.sendFailure = sendFailure;
    const { origin } = request.headers;
    next(isMcp && origin !== undefined && !allowed.has(origin) ? originNotAllowedError(origin) : undefined);
  };
}
