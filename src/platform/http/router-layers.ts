import type { Application } from 'express';

/** The parts of a layer of Express's router that the error filter uses. */
export interface RouterLayer {
  /** Absent for middleware. */
  route?: { methods: Record<string, boolean> };
  match(path: string): false | { params: Record<string, unknown> };
}

/** The layers of the application in the order in which the router matches them. */
export function listLayers(app: Application): RouterLayer[] {
  return (app.router as unknown as { stack: RouterLayer[] }).stack;
}
