import type { Application } from 'express';

interface Match {
  params: Record<string, unknown>;
}

/** The parts of a layer of Express's router that are used here and by the error filter. */
export interface RouterLayer {
  /** Absent for middleware. */
  route?: { path: unknown; methods: Record<string, boolean> };
  match(path: string): false | Match;
}

/** The layers of the application in the order in which the router matches them. */
export function listLayers(app: Application): RouterLayer[] {
  return (app.router as unknown as { stack: RouterLayer[] }).stack;
}

/** A path of literal segments and parameters; other patterns have no fixed number of segments. */
const PLAIN_PATH = /^(?:\/:?[\w.-]+)+$/;

/**
 * Lets each route decline a path by its segments before it matches a regular expression: the router matches one route
 * after the other, and the service has more than a hundred. Call it after the routes are registered.
 */
export function filterRoutesBySegments(app: Application): void {
  for (const layer of listLayers(app)) {
    const path = layer.route?.path;
    if (typeof path !== 'string' || !PLAIN_PATH.test(path)) continue;
    const pattern = splitPath(path).map((segment) => (segment.startsWith(':') ? undefined : segment));
    const match = layer.match.bind(layer);
    layer.match = (requested) => hasSegments(requested, pattern) && match(requested);
  }
}

let lastPath: string;
let lastSegments: readonly string[];

/** @param pattern the literal segments in lowercase; undefined for a parameter. */
function hasSegments(path: string, pattern: readonly (string | undefined)[]): boolean {
  if (path !== lastPath) {
    lastPath = path;
    lastSegments = splitPath(path);
  }
  if (lastSegments.length !== pattern.length) return false;
  // The last literal segments differ most often.
  for (let at = pattern.length - 1; at >= 0; at--)
    if (pattern[at] !== undefined && pattern[at] !== lastSegments[at]) return false;
  return true;
}

/** Express ignores letter case. */
function splitPath(path: string): string[] {
  return path.slice(1).toLowerCase().split('/');
}
