import type { RequestHandler } from 'express';
import type { Config } from '../config/config.js';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';

type Ports = Pick<Config['http'], 'port' | 'metricsPort' | 'docsPort'>;

const HEALTH = /^\/health\//i;
const METRICS = /^\/metrics\/?$/i;
const DOCUMENTS = /^\/(?:(?:docs|guide|tables|downloads)(?:\/.*)?|openapi\.(?:json|yaml)\/?|favicon\.ico)?$/i;

/** The ports on which the service listens: that of the API first. */
export function listPorts({ port, metricsPort, docsPort }: Ports): number[] {
  return [...new Set([port, metricsPort, docsPort].filter((each) => each !== null))];
}

/** The name of the setting that contains a port. */
export function portSetting(port: number, { port: apiPort, metricsPort }: Ports): string {
  if (port === apiPort) return 'PORT';
  return port === metricsPort ? 'METRICS_PORT' : 'DOCS_PORT';
}

/** Can callers of the API read the documents? */
export function areDocumentsPublic({ port, docsPort }: Ports): boolean {
  return docsPort === port;
}

/**
 * Middleware: a path that the port does not serve is unknown on it. Metrics and documents need no credentials: without
 * other ports they are public as soon as a proxy passes all paths on, and nothing shows a rule that it lacks. All ports
 * serve health checks; the port of the documents serves the API, too, because Swagger UI calls the origin of its page.
 *
 * @returns nothing if the port of the API serves everything.
 */
export function restrictPorts(ports: Ports): RequestHandler[] {
  if (ports.metricsPort === ports.port && areDocumentsPublic(ports)) return [];
  return [
    ({ method, path, socket }, _response, next) => {
      const isServed = portsOf(path, ports).some((port) => port === socket.localPort);
      next(isServed ? undefined : new DomainError(HTTP_ERRORS.not_found, `There is no ${method} ${path}.`));
    },
  ];
}

function portsOf(path: string, { port, metricsPort, docsPort }: Ports): (number | null)[] {
  if (HEALTH.test(path)) return [port, metricsPort, docsPort];
  if (METRICS.test(path)) return [metricsPort];
  return DOCUMENTS.test(path) ? [docsPort] : [port, docsPort];
}
